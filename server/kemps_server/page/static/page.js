"use strict";
(() => {
  const SVG = document.querySelector("svg").namespaceURI;
  const game = JSON.parse(document.getElementById("game-data").textContent);
  const one = (id) => document.getElementById(id);
  const make = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  /* words: every text carries its key, so another language is a walk over the page */
  let words = game.words[game.language];
  const say = (phrase) => {
    const key = typeof phrase === "string" ? phrase : phrase.k;
    const args = phrase.a || {};
    return (words[key] ?? key).replace(/\{(\w+)\}/g, (place, name) => {
      const arg = args[name];
      return arg === undefined ? place : typeof arg === "string" ? arg : say(arg);
    });
  };
  const parse = (text) => (text.startsWith("{") ? JSON.parse(text) : text);
  const speak = (language) => {
    if (language === document.documentElement.lang) return;
    words = game.words[language];
    document.documentElement.lang = language;
    one("language").value = language;
    for (const element of document.querySelectorAll("[data-t]")) element.textContent = say(parse(element.dataset.t));
    for (const element of document.querySelectorAll("[data-t-attr]")) {
      for (const [name, phrase] of Object.entries(JSON.parse(element.dataset.tAttr))) {
        element.setAttribute(name, say(phrase));
      }
    }
  };
  const wanted = () => {
    const asked = [new URLSearchParams(location.search).get("lang")];
    if (!game.is_fixed) asked.push(...(navigator.languages || [navigator.language]));
    const known = asked.map((tag) => (tag || "").slice(0, 2).toLowerCase()).filter((tag) => tag in game.words);
    return known[0] || game.language;
  };

  /* the table at one event */
  const sign = (card) => card.replace("T", "10").replace("c", "♣").replace("d", "♦").replace("h", "♥").replace("s", "♠");
  const spread = (count, width, room, gap) => {
    const step = count < 2 ? width + gap : Math.min(width + gap, (room - width) / (count - 1));
    const start = -(step * (count - 1) + width) / 2;
    return Array.from({ length: count }, (_, index) => start + step * index);
  };
  const lay = (group, cards, width, height, room, gap, top, fresh) => {
    const lefts = spread(cards.length, width, room, gap);
    group.replaceChildren();
    cards.forEach((card, index) => {
      const place = { x: lefts[index], y: top, width, height };
      group.append(make("use", { href: "#card-" + (card || "unread"), ...place }));
      if (fresh.includes(card)) group.append(make("rect", { class: "ring", rx: 7, ...place }));
    });
  };
  const face = (card) => {
    const label = card === null ? say("centre.unread") : sign(card);
    const svg = make("svg", { class: "card", viewBox: "0 0 63 88", role: "img", "aria-label": label });
    svg.append(make("use", { href: "#card-" + (card || "unread") }));
    return svg;
  };
  const faces = (cards) => {
    const box = document.createElement("span");
    box.className = "cards";
    box.append(...cards.map(face));
    return box;
  };
  const soft = (key) => {
    const text = document.createElement("span");
    text.className = "soft";
    text.dataset.t = key;
    text.textContent = say(key);
    return text;
  };
  const drawSeat = (seat, step) => {
    const group = one("seat-" + seat.id);
    const hand = step.hands[seat.id];
    group.classList.toggle("is-active", step.seats.includes(seat.id));
    lay(group.querySelector(".hand"), hand.faces, 38, 53, 132, 2, -26.5, []);
    const [, cards, size, open] = one("ledger-" + seat.id).children;
    cards.replaceChildren(hand.known.length ? faces(hand.known) : soft("table.ledger_none"));
    size.textContent = hand.size;
    open.replaceChildren(...(hand.owes ? [soft("table.owes_" + hand.owes)] : []));
  };
  const drawLoose = (loose) => {
    const row = one("ledger-somebody");
    row.hidden = loose.length === 0;
    row.children[1].replaceChildren(faces(loose));
  };
  const drawBubble = (bubble) => {
    const group = one("bubble");
    group.replaceChildren();
    const place = bubble && game.places[bubble.seat];
    if (!place) return;
    const text = make("text", { x: place.x, y: place.bubble_y + 7, "data-t": JSON.stringify(bubble.text) });
    text.textContent = say(bubble.text);
    const width = Math.max(90, text.textContent.length * 12 + 30);
    const above = place.bubble_y < place.y;
    const tip = above ? `M${place.x - 9} ${place.bubble_y + 17}h18l-9 13z` : `M${place.x - 9} ${place.bubble_y - 17}h18l-9 -13z`;
    group.append(make("path", { d: tip }));
    group.append(make("rect", { x: place.x - width / 2, y: place.bubble_y - 19, width, height: 38, rx: 12 }), text);
  };

  /* a step carries only the hands that have changed; the others are those of the step before */
  game.steps.forEach((step, at) => { if (at) step.hands = { ...game.steps[at - 1].hands, ...step.hands }; });
  const links = [...document.querySelectorAll(".events a")];
  const lines = [...document.querySelectorAll("#journal pre span")];
  let now = game.steps.length - 1;
  const show = (index) => {
    if (!game.steps.length) return;
    links[now].removeAttribute("aria-current");
    lines[game.steps[now].line]?.classList.remove("is-now");
    now = Math.max(0, Math.min(game.steps.length - 1, index));
    const step = game.steps[now];
    game.seats.forEach((seat) => drawSeat(seat, step));
    lay(one("centre-cards"), step.centre, 66, 92, 300, 10, 0, step.fresh);
    one("stock").textContent = step.stock ?? "?";
    one("aside").textContent = step.aside ?? "?";
    drawLoose(step.loose);
    drawBubble(step.bubble);
    one("slider").value = now;
    const link = links[now];
    link.setAttribute("aria-current", "step");
    lines[step.line]?.classList.add("is-now");
    const list = link.closest(".events");
    list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    one("clock").textContent = link.querySelector("time").textContent;
    one("slider").setAttribute("aria-valuetext", link.textContent);
    one("now").firstElementChild.replaceWith(link.querySelector("[data-t]").cloneNode(true));
    one("doubt").textContent = step.doubt;
    one("back").disabled = one("first").disabled = now === 0;
    one("next").disabled = one("last").disabled = now === game.steps.length - 1;
    const chart = one("chart");
    const x = Number(chart.dataset.left) + step.at * Number(chart.dataset.scale);
    one("playhead").setAttribute("transform", `translate(${x} 0)`);
    const picture = step.picture === null ? null : document.querySelector(`#picture-${step.picture} img`);
    one("moment").hidden = picture === null;
    if (picture) Object.assign(one("moment").querySelector("img"), { src: picture.src, alt: picture.alt });
  };

  /* the pictures behind a verdict are those of the gallery, which are in the file once */
  for (const link of document.querySelectorAll("[data-picture]")) {
    const picture = document.querySelector(`#picture-${link.dataset.picture} img`);
    if (picture) link.prepend(Object.assign(document.createElement("img"), { src: picture.src, alt: "" }));
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && location.hash.startsWith("#picture-")) location.hash = "#evidence";
    if (event.target.closest("input, select, textarea, pre")) return;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: game.steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-step]");
    if (!link) return;
    if (link.closest(".events")) event.preventDefault();
    show(Number(link.dataset.step));
  });
  one("first").addEventListener("click", () => show(0));
  one("back").addEventListener("click", () => show(now - 1));
  one("next").addEventListener("click", () => show(now + 1));
  one("last").addEventListener("click", () => show(game.steps.length - 1));
  one("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  one("language").addEventListener("change", (event) => { speak(event.target.value); show(now); });
  one("theme").addEventListener("change", (event) => {
    if (event.target.value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = event.target.value;
  });
  speak(wanted());
  show(now);
})();
