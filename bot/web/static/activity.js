"use strict";
// The pages in a frame of Discord: one document, which is never left. Whatever it shows is fetched, with a session in
// memory, because a frame without an origin has no cookies, and may load neither stylesheets nor pictures itself.
(() => {
  const $ = (query, of = document) => of.querySelector(query);
  const { client, origins } = document.body.dataset, query = new URLSearchParams(location.search);
  const discord = parent.opener ?? parent, plain = fetch, failed = $("#failed").content;
  const waiting = new Map(), sheets = new Set();
  let secret = "", entering = null, count = 0, newest = null, here = location, ready;
  const isReady = new Promise((done) => (ready = done));

  // Discord's protocol: [0, who we are] is answered by the event READY, [1, a command] by its result.
  const post = (code, data) => discord.postMessage([code, data], document.referrer || "*");
  const command = (cmd, args) => new Promise((done, refused) => {
    const nonce = String(++count);
    waiting.set(nonce, [done, refused]);
    post(1, { cmd, args, nonce });
  });
  addEventListener("message", ({ source, origin, data }) => {
    if ((source && source !== discord) || !origins.split(" ").includes(origin) || data?.[0] !== 1) return;
    const { cmd, evt, nonce, data: told } = data[1];
    if (cmd === "DISPATCH" && evt === "READY") ready();
    waiting.get(nonce)?.[evt === "ERROR" ? 1 : 0](told);
    waiting.delete(nonce);
  });

  async function enter() {
    await isReady;
    const asked = { client_id: client, response_type: "code", state: "", prompt: "none", scope: ["identify"] };
    const { code } = await command("AUTHORIZE", asked);
    const answer = await plain("/activity", { method: "POST", body: new URLSearchParams({ code }) });
    if (!answer.ok) throw new Error(answer.status);
    secret = await answer.text();
  }

  // After its end, a session begins again without a question.
  window.fetch = async (url, options = {}) => {
    const send = () => plain(url, { ...options, headers: { ...options.headers, Authorization: `Bearer ${secret}` } });
    const used = secret, answer = used && (await send());
    if (answer && answer.status !== 401) return answer;
    if (used === secret) await (entering ??= enter().finally(() => (entering = null)));
    return send();
  };

  function wear(text) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  async function draw(image, url) {
    image.onload = () => URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(await (await fetch(url)).blob());
  }
  // Give a part of a page its stylesheets and pictures: the board before it is shown, other pictures one by one.
  async function dress(part) {
    newest = part;
    for (const link of part.querySelectorAll("link[rel=stylesheet]")) {
      const url = link.getAttribute("href");
      link.remove();
      if (!sheets.has(url)) wear(await (await fetch(url)).text());
      sheets.add(url);
    }
    const light = matchMedia("(prefers-color-scheme: light)").matches, rest = [];
    for (const image of part.querySelectorAll("img")) {
      const source = $("source:not([sizes])", image.parentNode);
      const url = (light && source?.getAttribute("srcset")) || image.getAttribute("src");
      image.parentNode.querySelectorAll("source").forEach((one) => one.remove());
      image.removeAttribute("src");
      if (image.closest(".board")) await draw(image, url);
      else rest.push([image, url]);
    }
    (async () => {
      for (const [image, url] of rest) if (image.isConnected || part === newest) await draw(image, url);
    })().catch(() => 0);
  }

  const spotOf = ({ hash }) => (hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null);
  async function show(page, url) {
    page.querySelectorAll("script").forEach((one) => one.remove());
    await dress(page.body);
    document.body.replaceChildren(...page.body.childNodes);
    document.documentElement.lang = page.documentElement.lang;
    document.title = page.title;
    here = new URL(url);
    scrollTo(0, 0);
    $("main").tabIndex = -1;
    $("main").focus({ preventScroll: true });
    spotOf(here)?.scrollIntoView();
    document.dispatchEvent(new Event("opened"));
  }
  async function open(url, options) {
    const answer = await fetch(url, options), text = await answer.text();
    const page = new DOMParser().parseFromString(text, "text/html");
    if (!answer.headers.get("Content-Type").startsWith("text/html")) {
      page.body.innerHTML = '<header class="top"><a class="brand" href="/">Hexgrove</a></header><main class="sheet"><pre></pre></main>';
      $("pre", page).textContent = text;
    }
    await show(page, answer.url + new URL(url, location.href).hash);
  }
  async function attempt(work) {
    try {
      await work();
    } catch {
      document.body.replaceChildren(failed.cloneNode(true));
      $("button").onclick = () => attempt(work);
    }
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("a[href], button"), form = target?.form;
    if (!target || event.defaultPrevented) return;
    if (form) {
      // A frame may forbid forms; the scripts send them anyway.
      event.preventDefault();
      form.dispatchEvent(new SubmitEvent("submit", { submitter: target, bubbles: true, cancelable: true }));
    }
    if (!target.href) return;
    event.preventDefault();
    const url = new URL(target.getAttribute("href"), here.href);
    if (url.host !== location.host) command("OPEN_EXTERNAL_LINK", { url: url.href }).catch(() => 0);
    else if (url.pathname === here.pathname && spotOf(url)) spotOf(url).scrollIntoView();
    else attempt(() => open(url.href));
  });
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const form = event.target, button = event.submitter, body = new URLSearchParams(new FormData(form));
    if (button?.name) body.set(button.name, button.value);
    const where = button?.hasAttribute("formaction") ? button.formAction : form.action;
    attempt(() => (form.method === "post" ? open(where, { method: "POST", body }) : open(`${where}?${body}`)));
  });

  window.activity = { dress, show };
  wear($("#style").content.textContent);
  const key = query.get("custom_id");
  attempt(async () => {
    post(0, { v: 1, encoding: "json", client_id: client, frame_id: query.get("frame_id") });
    await open(key ? `/m/${encodeURIComponent(key)}` : "/");
  });
})();
