#version 330
uniform mat4 view_projection;
uniform mat4 light_projection;
in vec3 point;
in vec3 normal;
in vec2 uv;
out vec3 at;
out vec3 facing;
out vec2 spot;
out vec3 in_light;
void main() {
    at = point;
    facing = normal;
    spot = uv;
    in_light = (light_projection * vec4(point + normal * 0.002, 1.0)).xyz * 0.5 + 0.5;
    gl_Position = view_projection * vec4(point, 1.0);
}
