#version 330
uniform mat4 light_projection;
uniform mat4 model;
in vec3 point;
void main() {
    gl_Position = light_projection * model * vec4(point, 1.0);
}
