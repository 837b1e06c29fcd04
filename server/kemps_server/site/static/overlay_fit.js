// As large as asked, but never so large that parts leave the picture or lie on each other.
const STEP = 0.04;
const LEAST = 0.3;

// Where a part lies in the layout: what moves in just now counts where it comes to rest.
function place(box) {
  let left = 0, top = 0;
  for (let one = box; one; one = one.offsetParent) { left += one.offsetLeft; top += one.offsetTop; }
  return { left, top, right: left + box.offsetWidth, bottom: top + box.offsetHeight };
}

function fits(main) {
  const boxes = [...main.querySelectorAll(".pair, .middle, .call, .note")].filter((box) => box.offsetWidth > 0);
  if (boxes.some((box) => box.scrollWidth > box.clientWidth + 1)) return false;
  const places = boxes.map(place);
  const { left, right } = place(main);
  const height = document.body.clientHeight;
  return places.every((one, index) =>
    one.left >= left - 1 && one.right <= right + 1 && one.top >= 0 && one.bottom <= height
    && places.slice(index + 1).every((other) =>
      one.right <= other.left + 1 || other.right <= one.left + 1 || one.bottom <= other.top + 1 || other.bottom <= one.top + 1));
}

export function fit(main, wanted) {
  const { style } = document.documentElement;
  let scale = wanted;
  style.setProperty("--scale", String(scale));
  while (scale > LEAST && !fits(main)) {
    scale -= STEP;
    style.setProperty("--scale", scale.toFixed(2));
  }
}
