"""Draws figures and flat things with Mesa's software OpenGL, through moderngl and EGL, without a display.

A frame takes a pass for the shadows of the key light and one for the picture, four samples a pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.complexion import LEFT_DM, PX_PER_DM, SIZE, TOP_DM
from kemps_scenes.bodies.errors import PaintError
from kemps_scenes.bodies.figure import Figure
from kemps_scenes.bodies.lens import FAR_M, NEAR_M, Lamp, Lens
from kemps_scenes.bodies.mesh import Floats, Ints

Picture = NDArray[np.uint8]
Handle: TypeAlias = Any
"""Something of moderngl's, which has no types."""

_SHADERS: Final = Path(__file__).parent / "shaders"
_SHADOW_PX: Final = 1024
_MISSING: Final = (
    "no software OpenGL to draw people with; run: pip install moderngl and, on Debian, "
    "apt-get install libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
)


@dataclass(frozen=True, eq=False, slots=True)
class Thing:
    """A flat-coloured or pictured surface of the world, such as a card or a table top.

    Attributes:
        points: (n, 3) in metres.
        normals: (n, 3).
        uv: Where its vertices lie in the picture, (n, 2): (0, 0) the upper left corner.
        triangles: (m, 3).
        picture: RGB; the same array again is not sent again.
    """

    points: Floats
    normals: Floats
    uv: Floats
    triangles: Ints
    picture: Picture


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """A figure as it is in one frame: posed points and normals, and the matrix (4, 4) into the world."""

    figure: Figure
    points: Floats
    normals: Floats
    model: NDArray[np.float64]


class Painter:
    """A picture's size and the graphics that fill it; a context manager.

    Args:
        width: Of its pictures.
        height: Of its pictures.
        samples: How often each pixel's edges are looked at: 4 smooth, 0 jagged in half the time.

    Raises:
        PaintError: There is no software OpenGL here.
    """

    def __init__(self, width: int, height: int, samples: int = 4) -> None:
        self.width, self.height = width, height
        self._context: Handle = _context()
        samples = self._samples = min(samples, self._context.max_samples)
        self._figures = self._program("figure", "figure")
        self._cut_figures = self._program("figure", "figure", "#define CUT\n")
        self._things = self._program("thing", "thing")
        self._shadows = self._program("shadow", "shadow")
        self._many = self._context.framebuffer(
            self._context.renderbuffer((width, height), 3, samples=samples),
            self._context.depth_renderbuffer((width, height), samples=samples),
        )
        self._one = self._context.framebuffer(self._context.renderbuffer((width, height), 3))
        self._shadow_map = self._context.depth_texture((_SHADOW_PX, _SHADOW_PX))
        self._shadow_map.compare_func = "<="
        self._shadow_map.repeat_x = self._shadow_map.repeat_y = False
        self._shadow_buffer = self._context.framebuffer(depth_attachment=self._shadow_map)
        self._known: dict[Figure, _Sent] = {}
        self._pictures: dict[int, tuple[Picture, Handle]] = {}

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.release()

    def draw(
        self,
        lens: Lens,
        lamp: Lamp,
        people: Sequence[Placed],
        things: Sequence[Thing] = (),
        backdrop: Picture | None = None,
    ) -> Picture:
        """The picture (h, w, 3) of people and things before a backdrop of that size, grey without one."""
        sent = [self._send(placed) for placed in people]
        surfaces = [self._send_thing(thing) for thing in things]
        self._throw_shadows(lamp, people, sent, surfaces)
        self._many.use()
        self._context.clear(0.45, 0.45, 0.47, depth=1.0)
        self._context.enable(self._context.DEPTH_TEST)
        if backdrop is not None:
            self._fill(backdrop)
        self._shadow_map.use(1)
        for program in (self._figures, self._cut_figures, self._things):
            _set_light(program, lens, lamp)
        for placed, own in zip(people, sent, strict=True):
            own.face.use(0)
            self._figures["model"].write(_bytes(placed.model))
            self._context.enable(self._context.CULL_FACE)
            own.solid.render()
            self._context.disable(self._context.CULL_FACE)
            self._cut_figures["model"].write(_bytes(placed.model))
            own.cut.render()
        for array, picture in surfaces:
            picture.use(0)
            array.render()
            array.release()
        self._context.copy_framebuffer(self._one, self._many)
        data = np.frombuffer(self._one.read(components=3, alignment=1), np.uint8)
        return np.ascontiguousarray(data.reshape(self.height, self.width, 3)[::-1])

    def depth_m(self) -> Floats:
        """How far from the lens, along its axis, the last picture is at each pixel, (h, w) in metres.

        Raises:
            PaintError: The edges are smooth, so that a pixel has more than one depth.
        """
        if self._samples:
            raise PaintError("depths are known only of pictures drawn with samples=0")
        data = self._many.read(components=1, attachment=-1, dtype="f4", alignment=1)
        stored = np.frombuffer(data, np.float32).reshape(self.height, self.width)[::-1]
        return np.asarray(NEAR_M * FAR_M / (FAR_M - stored * (FAR_M - NEAR_M)), np.float32)

    def _throw_shadows(
        self,
        lamp: Lamp,
        people: Sequence[Placed],
        sent: Sequence[_Sent],
        surfaces: Sequence[tuple[Handle, Handle]],
    ) -> None:
        self._shadow_buffer.use()
        self._shadow_buffer.clear(depth=1.0)
        self._context.enable(self._context.DEPTH_TEST)
        self._shadows["light_projection"].write(_bytes(lamp.matrix))
        for placed, own in zip(people, sent, strict=True):
            self._shadows["model"].write(_bytes(placed.model))
            own.shadow.render()
        del surfaces  # tables and cards lie flat: what they would throw is seen nowhere

    def _program(self, vertex: str, fragment: str, define: str = "") -> Handle:
        version, _, source = (_SHADERS / f"{fragment}.frag").read_text("utf-8").partition("\n")
        return self._context.program(
            vertex_shader=(_SHADERS / f"{vertex}.vert").read_text("utf-8"),
            fragment_shader=f"{version}\n{define}{source}",
        )

    def _send(self, placed: Placed) -> _Sent:
        own = self._known.get(placed.figure)
        if own is None:
            own = _Sent(self._context, (self._figures, self._cut_figures, self._shadows), placed.figure)
            self._known[placed.figure] = own
        own.points.write(np.ascontiguousarray(placed.points, np.float32))
        own.normals.write(np.ascontiguousarray(placed.normals, np.float32))
        return own

    def _send_thing(self, thing: Thing) -> tuple[Handle, Handle]:
        data = np.concatenate([thing.points, thing.normals, thing.uv], axis=1).astype(np.float32)
        buffer = self._context.buffer(data.tobytes())
        index = self._context.buffer(thing.triangles.astype(np.int32).tobytes())
        array = self._context.vertex_array(
            self._things, [(buffer, "3f 3f 2f", "point", "normal", "uv")], index
        )
        return array, self._texture(thing.picture)

    def _texture(self, picture: Picture) -> Handle:
        known = self._pictures.get(id(picture))
        if known is None:
            texture = self._context.texture(picture.shape[1::-1], 3, picture.tobytes(), alignment=1)
            texture.build_mipmaps()
            known = (picture, texture)  # the picture is kept, so that its id stays its own
            self._pictures[id(picture)] = known
        return known[1]

    def _fill(self, backdrop: Picture) -> None:
        self._context.disable(self._context.DEPTH_TEST)
        texture = self._texture(backdrop)
        texture.use(0)
        if not hasattr(self, "_filler"):
            self._filler = self._context.program(
                vertex_shader=(
                    "#version 330\nout vec2 spot;void main(){vec2 p=vec2(gl_VertexID%2,gl_VertexID/2);"
                    "spot=vec2(p.x,1.0-p.y);gl_Position=vec4(p*2.0-1.0,0.0,1.0);}"
                ),
                fragment_shader=(
                    "#version 330\nuniform sampler2D picture;in vec2 spot;out vec4 painted;"
                    "void main(){painted=vec4(texture(picture,spot).rgb,1.0);}"
                ),
            )
            self._filling = self._context.vertex_array(self._filler, [])
        self._filling.render(self._context.TRIANGLE_STRIP, vertices=4)
        self._context.enable(self._context.DEPTH_TEST)


class _Sent:
    """The buffers of a figure on the side of the graphics."""

    def __init__(self, context: Handle, programs: tuple[Handle, Handle, Handle], figure: Figure) -> None:
        count = len(figure.rest)
        self.points = context.buffer(reserve=count * 12, dynamic=True)
        self.normals = context.buffer(reserve=count * 12, dynamic=True)
        fixed = np.concatenate([figure.base, figure.colours, figure.front[:, None]], axis=1)
        still = context.buffer(fixed.astype(np.float32).tobytes())
        solid, cut, shadow = programs
        content = [
            (self.points, "3f", "point"),
            (self.normals, "3f", "normal"),
            (still, "3f 4f 1f", "base", "colour", "front"),
        ]
        whole = context.buffer(figure.triangles.tobytes())
        first = context.buffer(figure.triangles[: figure.solid].tobytes())
        rest = context.buffer(figure.triangles[figure.solid :].tobytes())
        self.solid = context.vertex_array(solid, content, first)
        self.cut = context.vertex_array(cut, content, rest)
        self.shadow = context.vertex_array(shadow, [(self.points, "3f", "point")], whole)
        self.face = context.texture(figure.face.shape[1::-1], 3, figure.face.tobytes(), alignment=1)
        self.face.build_mipmaps()


def _context() -> Handle:
    try:
        import moderngl  # noqa: PLC0415 - only who draws people needs it

        settings: Any = {"backend": "egl", "libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
        return moderngl.create_context(standalone=True, **settings)
    except Exception as error:  # moderngl raises bare Exceptions
        raise PaintError(_MISSING) from error


def _set_light(program: Handle, lens: Lens, lamp: Lamp) -> None:
    program["view_projection"].write(_bytes(lens.matrix))
    program["light_projection"].write(_bytes(lamp.matrix))
    program["shadow"].value = 1
    if "eye" in program:
        program["eye"].value = lens.eye
        across, down = SIZE[0] / PX_PER_DM, SIZE[1] / PX_PER_DM
        program["face_plane"].value = (LEFT_DM, TOP_DM, 1 / across, -1 / down)
    program["key_way"].value = tuple(lamp.unit)
    for name, value in (("key_light", lamp.key), ("sky_light", lamp.sky), ("ground_light", lamp.ground)):
        program[name].value = value


def _bytes(matrix: NDArray[np.float64]) -> bytes:
    return np.ascontiguousarray(matrix.T, np.float32).tobytes()
