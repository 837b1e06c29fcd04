#version 330
uniform sampler2D face;
uniform sampler2DShadow shadow;
uniform vec3 eye;
uniform vec3 key_way;
uniform vec3 key_light;
uniform vec3 sky_light;
uniform vec3 ground_light;
uniform vec4 face_plane;
in vec3 at;
in vec3 facing;
in vec3 place;
in vec3 in_light;
flat in int material;
in vec3 tint;
in float share;
out vec4 painted;

float noise(vec3 p) {
    return fract(sin(dot(floor(p), vec3(12.9898, 78.233, 37.719))) * 43758.5453);
}

vec3 iris(vec3 p, vec3 colour) {
    vec3 middle = vec3(sign(p.x) * 0.31, 7.285, 1.245);
    vec3 d = normalize(p - middle);
    float angle = acos(clamp(d.z, -1.0, 1.0));
    float spokes = 0.75 + 0.5 * noise(vec3(atan(d.y, d.x) * 14.0, angle * 9.0, 1.0));
    vec3 white = vec3(0.86, 0.83, 0.80) - vec3(0.05, 0.16, 0.16) * smoothstep(0.7, 1.3, angle);
    vec3 ring = colour * spokes * mix(1.0, 0.35, smoothstep(0.36, 0.44, angle));
    vec3 seen = mix(ring, white, smoothstep(0.42, 0.47, angle));
    return mix(vec3(0.015), seen, smoothstep(0.15, 0.19, angle));
}

void main() {
    vec3 n = normalize(facing);
    vec3 to_eye = normalize(eye - at);
    if (!gl_FrontFacing) n = -n;
    vec3 colour = tint;
    float gloss = 0.0;
    float hardness = 24.0;
    float wrap = 0.15;
    if (material == 0) {
        vec2 uv = (place.xy - face_plane.xy) * face_plane.zw;
        colour = mix(tint, texture(face, uv).rgb, share);
        colour *= 0.985 + 0.03 * noise(place * 40.0);
        gloss = 0.10;
        wrap = 0.30;
    } else if (material == 1) {
        colour = iris(place, tint);
        gloss = 0.55;
        hardness = 90.0;
    } else if (material == 2) {
        gloss = 0.15;
#ifdef CUT
    } else if (material == 4) {
        if (share < 0.0 || fract(place.x * 47.0 + share * 0.6) > (share > 0.72 ? 0.8 : 0.35 * share)) discard;
    } else if (material == 5) {
        if (share < 0.0) discard;
        colour *= share < 0.035 ? 0.8 : 1.0;
        colour *= 0.93 + 0.10 * noise(place * vec3(55.0, 55.0, 55.0)) + 0.05 * sin(place.y * 160.0);
    } else if (material == 6) {
        float lock = noise(vec3(place.x * 34.0, place.z * 30.0, 0.0));
        if (share < 0.06 * lock) discard;
        float strand = noise(vec3(place.x * 60.0, place.z * 60.0, place.y * 4.0));
        colour *= 0.65 + 0.7 * strand;
        gloss = 0.16;
        hardness = 12.0;
    } else if (material == 7) {
        gloss = 0.4;
#endif
    }
    vec3 linear = colour * colour;
    float towards = dot(n, key_way);
    float direct = max(0.0, (towards + wrap) / (1.0 + wrap));
    float lit = texture(shadow, in_light - vec3(0.0, 0.0, 0.003));
    vec3 soft = material == 0 ? vec3(sqrt(direct) * 0.35 + direct * 0.65, direct, direct * (0.92 + 0.08 * direct)) : vec3(direct);
    vec3 around = mix(ground_light, sky_light, 0.5 + 0.5 * n.z);
    around *= 0.72 + 0.28 * clamp(dot(n, to_eye), 0.0, 1.0);
    vec3 half_way = normalize(key_way + to_eye);
    float shine = gloss * pow(max(0.0, dot(n, half_way)), hardness) * step(0.0, towards);
    vec3 sum = linear * (around + key_light * soft * mix(0.12, 1.0, lit)) + key_light * shine * lit;
    painted = vec4(sqrt(clamp(sum, 0.0, 1.0)), 1.0);
}
