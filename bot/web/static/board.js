"use strict";
(() => {
  const $ = (query, of = document) => of.querySelector(query);
  let match = $("#match"), asking = null, spot = "", stream = null, polls = false, ticking = 0, retry = 0, newest = null, told = 0, leaving = "", answered = 0, filmed = "";

  // Replace this view of the match with another one, once its picture is loaded. A page without one is opened.
  async function show(html, url, fresh, signal) {
    const page = new DOMParser().parseFromString(html, "text/html"), next = $("#match", page);
    const where = new URL(url || match.dataset.here, location.href).href;
    if (!next) return window.activity ? activity.show(page, where) : location.assign(where);
    await window.activity?.dress(next);
    const sheet = $("link", next), known = sheet && [...document.head.querySelectorAll("link")].some((one) => one.href === sheet.href);
    if (known) sheet.remove();
    else if (sheet) await new Promise((done) => {
      sheet.onload = sheet.onerror = done;
      document.head.append(sheet);
    });
    await $("img", document.importNode($("picture", next), true)).decode().catch(() => 0);
    if (signal.aborted) return;
    const focused = document.activeElement?.closest("#match") && (document.activeElement.value || document.activeElement.className);
    const open = [...match.querySelectorAll("details")].map((one) => one.open);
    next.querySelectorAll("details").forEach((one, at) => (one.open ||= open[at] && open.length));
    $("#lost").hidden = true;
    const elsewhere = match.dataset.live !== next.dataset.live, before = magnified();
    match.replaceWith(next);
    match = next;
    answered = performance.now();
    if (elsewhere) deaf(), (newest = null);
    match.classList.toggle("new", !!fresh);
    document.title = match.dataset.title;
    url ||= match.dataset.here;
    if (!window.activity) remember(url, before);
    prepare();
    if (elsewhere) listen();
    const again = focused && [...match.querySelectorAll("button, a")].find((one) => (one.value || one.className) === focused);
    const main = $(".bar .main");
    if (again && again.offsetParent) again.focus({ preventScroll: true });
    else if (focused) main?.focus({ preventScroll: true });
    $("#heard").textContent = [fresh && $(".last")?.textContent, $(".ask")?.textContent].filter(Boolean).join(" ");
  }

  // Back leaves a magnified part of the board before it leaves the page.
  const magnified = () => $("[name=near]", match)?.value;
  function remember(url, before) {
    const near = magnified();
    if (near) (url = new URL(url, location.href)).searchParams.set("near", near);
    if (near && !before && !history.state) history.pushState("near", "", url);
    else if (near || !history.state) history.replaceState(history.state, "", url);
    else if (leaving) leaving = url;
    else (leaving = url), history.back();
  }
  addEventListener("popstate", () => {
    if (leaving) history.replaceState(null, "", leaving);
    else if (match) ask($(".whole", match)?.href || location.href);
    leaving = "";
  });

  async function ask(url, options = {}, fresh = false, known = "") {
    asking?.abort();
    const mine = (asking = new AbortController());
    try {
      const answer = known || (await fetch(url, { ...options, headers: { Part: "1" }, signal: mine.signal }));
      if ([429, 502, 503, 504].includes(answer.status)) throw new Error(answer.status);
      const html = known || (await answer.text());
      if (mine.signal.aborted) return;
      await show(html, options.method ? "" : answer.url || url, fresh, mine.signal);
    } catch (error) {
      if (error.name !== "AbortError") lost();
    } finally {
      if (asking === mine) (asking = null), catchUp();
    }
  }

  // A lost press is not repeated: the page shows the current state.
  function lost() {
    $("#lost").hidden = false;
    clearTimeout(retry);
    retry = setTimeout(() => document.hidden || asking || !match || ask(match.dataset.here), 2000);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target, button = event.submitter;
    if (!form.closest("#match") || "away" in form.dataset) return;
    event.preventDefault();
    // A tap on a chosen cell may play the turn, so the second half of a double tap does nothing.
    if (match.dataset.sent || (button?.matches(".cells .chosen") && event.timeStamp - answered < 400)) return;
    match.dataset.sent = "1";
    button?.classList.add("sent");
    const body = new URLSearchParams(new FormData(form));
    if (button?.name) body.set(button.name, button.value);
    const where = button?.hasAttribute("formaction") ? button.formAction : form.action;
    ask(where, { method: "POST", body }).finally(() => delete match.dataset.sent);
  });

  document.addEventListener("click", (event) => {
    // A tap on a refusal removes it: it may cover the cell that somebody means.
    const bubble = event.target.closest(".bubble");
    if (bubble && !event.target.closest("a:not(.shut)")) return event.preventDefault(), bubble.remove();
    const copy = event.target.closest("[data-copy]");
    if (copy) share(copy, copy.previousElementSibling).catch(() => 0);
    const link = event.target.closest("a[data-part]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (match.dataset.sent) return;
    link.classList.add("sent");
    ask(link.href);
  });

  // Without a clipboard, the text can still be copied by hand.
  async function share(button, field) {
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.copy;
  }

  // One tab stop for the board; arrow keys, or the keys around S, lead to the neighbours.
  const KEYS = { ArrowUp: [0], ArrowDown: [3], ArrowRight: [1, 2], ArrowLeft: [5, 4], w: [0], e: [1], d: [2], s: [3], a: [4], q: [5] };
  let turned = 0;
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.(".cells > *"), key = event.key.length > 1 ? event.key : event.key.toLowerCase();
    if (event.key === "Escape") $(".bubble")?.remove();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (cell && key === "Enter" && event.repeat) event.preventDefault();
    if (cell && KEYS[key]) {
      const beside = cell.dataset.beside.split(","), ways = KEYS[key];
      const name = ways.length > 1 ? beside[ways[(turned = 1 - turned)]] || beside[ways[1 - turned]] : beside[ways[0]];
      event.preventDefault();
      const next = name && $(`.c-${name}`);
      if (next) stop(next), next.focus();
    } else if (!cell && event.target.type !== "range") {
      const link = $(`a[data-key="${event.key}"]:not([aria-disabled])`);
      if (link) event.preventDefault(), link.click();
    }
  });
  function stop(cell) {
    match.querySelectorAll('.cells [tabindex="0"]').forEach((one) => (one.tabIndex = -1));
    cell.tabIndex = 0;
    spot = cell.classList[0];
  }
  function prepare() {
    const cells = [...match.querySelectorAll(".cells > *")];
    cells.forEach((one) => (one.tabIndex = -1));
    const first = cells.find((one) => one.classList[0] === spot) || cells.find((one) => one.classList.contains("open"));
    if (first) first.tabIndex = 0;
    const mine = match;
    if (mine.dataset.again) setTimeout(() => mine === match && !mine.dataset.sent && ask(mine.dataset.here), mine.dataset.again * 1000);
    const slider = $("input[type=range]");
    if (slider) {
      slider.hidden = false;
      slider.oninput = () => match.dataset.sent || ask(slider.value < slider.max * 1 ? slider.dataset.to.replace("=N", "=" + slider.value) : slider.dataset.last);
    }
    wind();
    film().catch(() => 0);
    match.querySelectorAll("[data-copy]").forEach((one) => (one.hidden = false));
    if (mine.dataset.begin) $(".bar .main").click();
    const list = $(".turns"), now = $(".turns [aria-current]");
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  // The last turns of a finished match, once, on its board, after that has been loaded.
  async function film() {
    const mine = match, kept = $(".film", mine), board = $(".board", mine);
    if (!kept || filmed === mine.dataset.live || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    filmed = mine.dataset.live;
    await $("img", board).decode();
    const part = kept.content.cloneNode(true), frames = [...part.querySelectorAll("picture")];
    await window.activity?.dress(part);
    document.adoptNode(part);
    for (const frame of frames) await $("img", frame).decode();
    for (const frame of frames) {
      frame.className = "past";
      board.append(frame);
      await new Promise((done) => setTimeout(done, 600));
      frame.remove();
    }
  }

  // The running clock; at its end, the page asks for the consequence. It asks for the time after a sleep, when it
  // becomes visible, when its stream begins, and every ten minutes.
  function wind() {
    const timer = $('[data-left]:not([data-left="0"])');
    let last = (told = Date.now());
    const until = last + (timer?.dataset.left ?? 0) * 1000;
    clearInterval(ticking);
    if (timer) ticking = setInterval(() => {
      const now = Date.now(), slept = Math.abs(now - last) > 5000;
      last = now;
      if (slept || now - told > 600000) setClocks();
      else tick(timer, until - now);
    }, 500);
  }
  async function setClocks() {
    const mine = match, clocks = $(".clocks", mine);
    told = Date.now();
    if (!clocks || document.hidden) return;
    const answer = await fetch(mine.dataset.here.split("?")[0] + "/clocks").catch(() => 0);
    const html = answer.ok && (await answer.text().catch(() => 0));
    if (!html || !clocks.isConnected) return;
    clocks.outerHTML = html;
    wind();
    if ($('[data-left="0"]')) askAgain();
  }
  const askAgain = () => match.dataset.sent || ask(window.activity ? match.dataset.here : location.href);
  function tick(timer, time) {
    const left = Math.max(0, Math.floor(time / 1000)), two = (value) => `${value}`.padStart(2, "0");
    const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60;
    timer.classList.toggle("short", left < 60);
    if (left < 86400) timer.textContent = `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(left % 60)}`;
    if (!left) clearInterval(ticking), setTimeout(askAgain, 1500);
  }

  // News, while the page is visible: a stream of lines or, where none gets through, one answer at a time.
  // For people who only watch, the lines contain the new part of the page.
  const news = (line) => ((newest = JSON.parse(line)), catchUp());
  // News that arrives during a request is handled after it.
  function catchUp() {
    if (!newest || match.dataset.sent || asking) return;
    const { version, part } = newest;
    newest = null;
    const { here } = match.dataset;
    if (version !== match.dataset.version) ask(here, {}, true, here.includes("?") ? "" : part);
  }
  async function listen() {
    if (document.hidden || stream || !match?.dataset.live) return;
    if (!$("#lost").hidden) lost();
    if (Date.now() - told > 30000) setClocks();
    const mine = (stream = new AbortController());
    let heard = false, timer = 0;
    const wait = () => (clearTimeout(timer), (timer = setTimeout(() => mine.abort(), 40000)));
    try {
      wait();
      const query = polls ? `?seen=${match.dataset.version}` : "";
      const answer = await fetch(match.dataset.live + query, { signal: mine.signal });
      if (!answer.ok) throw new Error(answer.status);
      if (polls) news(await answer.text()), (heard = true);
      else {
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = "", part; !(part = await reader.read()).done; wait()) {
          heard = true;
          const lines = (rest + part.value).split("\n");
          rest = lines.pop();
          lines.filter(Boolean).forEach(news);
        }
      }
    } catch (error) {
      if (!heard && stream === mine) polls = !polls;
      if (error.name === "TypeError") lost();
    }
    clearTimeout(timer);
    if (stream === mine) stream = null;
    setTimeout(listen, heard ? 300 : 3000);
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) deaf();
    else listen();
  });
  function deaf() {
    const open = stream;
    stream = null;
    open?.abort();
  }
  addEventListener("offline", () => match?.dataset.live && (deaf(), lost()));
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  // An Activity of Discord shows one page after another in the same document.
  document.addEventListener("opened", () => {
    asking?.abort();
    clearInterval(ticking);
    deaf();
    match = $("#match");
    if (match) prepare(), listen();
  });
  if (match) document.head.append($("link", match)), prepare(), listen();
})();
