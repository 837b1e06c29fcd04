#version 330
uniform mat4 view_projection;
uniform mat4 light_projection;
uniform mat4 model;
in vec3 point;
in vec3 normal;
in vec3 base;
in vec4 colour;
in float front;
out vec3 at;
out vec3 facing;
out vec3 place;
out vec3 in_light;
flat out int material;
out vec3 tint;
out float share;
void main() {
    vec4 world = model * vec4(point, 1.0);
    at = world.xyz;
    facing = mat3(model) * normal;
    place = base;
    tint = colour.rgb;
    material = int(colour.a + 0.5);
    share = front;
    vec4 lit = light_projection * vec4(world.xyz + normalize(facing) * 0.004, 1.0);
    in_light = lit.xyz * 0.5 + 0.5;
    gl_Position = view_projection * world;
}
