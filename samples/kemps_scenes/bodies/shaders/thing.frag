#version 330
uniform sampler2D picture;
uniform sampler2DShadow shadow;
uniform vec3 key_way;
uniform vec3 key_light;
uniform vec3 sky_light;
uniform vec3 ground_light;
in vec3 at;
in vec3 facing;
in vec2 spot;
in vec3 in_light;
out vec4 painted;
void main() {
    vec3 n = gl_FrontFacing ? normalize(facing) : -normalize(facing);
    vec3 colour = texture(picture, spot).rgb;
    colour *= colour;
    float lit = texture(shadow, in_light - vec3(0.0, 0.0, 0.002));
    vec3 around = mix(ground_light, sky_light, 0.5 + 0.5 * n.z);
    vec3 sum = colour * (around + key_light * max(0.0, dot(n, key_way)) * mix(0.12, 1.0, lit));
    painted = vec4(sqrt(clamp(sum, 0.0, 1.0)), 1.0);
}
