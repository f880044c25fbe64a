/*
  One keyboard language on all pages of ours. Every key presses a button or a link that is there without this script:
    [data-neardup-row]       a row with a checkbox, perhaps a radio button, and a link
    [data-neardup-open]      the link of a row that Enter follows; without one its first link
    [data-neardup-key~="n"]  what a key presses: in the current row, else on the page
    [data-neardup-next], [data-neardup-previous]   where j and k lead; without them they go along the rows
  Letters are those that the layout types; where it types none of the Latin ones, they are told by their place. Never in
  fields, nor with Ctrl, Alt or Meta, and not at all where they are switched off in the help.
*/
"use strict";
{
    const STORED = "neardup.keys";
    const LATIN = /^[a-z]$/i;
    const FOREIGN = /^(?!\p{Script=Latin})\p{L}$/u;
    const PLACES = /^Key([JKXANHMDUG])$/;
    const ACTS = "anhmdu";
    const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const one = (selector, root = document) => root.querySelector(selector);

    const rows = () => all("[data-neardup-row]");
    const box = (row) => one("input[type=checkbox]", row);
    const link = (row) => one("[data-neardup-open]", row) || one("a[href]", row);
    let current = null;

    function stored() {
        try {
            return localStorage.getItem(STORED);
        } catch {
            return null;
        }
    }

    function store(value) {
        try {
            localStorage.setItem(STORED, value);
        } catch {
            // without a storage the choice holds for this page
        }
    }

    let on = stored() !== "off";

    function go(row) {
        if (!row) {
            return;
        }
        current?.classList.remove("neardup-current");
        current = row;
        row.classList.add("neardup-current");
        (link(row) || box(row))?.focus({ preventScroll: true });
        row.scrollIntoView({ block: "nearest" });
    }

    function step(by) {
        const every = rows();
        const place = every.indexOf(current);
        const next = place < 0 ? every[by > 0 ? 0 : every.length - 1] : every[place + by];
        go(next);
        return Boolean(next);
    }

    function along(by) {
        const way = one(by > 0 ? "[data-neardup-next]" : "[data-neardup-previous]");
        if (way) {
            way.click();
        } else {
            step(by);
        }
    }

    function change(input, checked) {
        if (input && !input.disabled && input.checked !== checked) {
            input.checked = checked;
            input.dispatchEvent(new Event("change", { bubbles: true }));
        }
    }

    const ticked = () => rows().filter((row) => box(row)?.checked);

    /* What is ticked goes before the current row; the bar decides on nothing where nothing is ticked. */
    function press(letter) {
        const named = `[data-neardup-key~="${letter}"]`;
        const own = current && one(named, current);
        const other = all(named).find((each) => !each.closest("[data-neardup-row]"));
        const idle = other?.closest("[data-neardup-bar]") && rows().length && !ticked().length;
        (own && (idle || !other?.closest("[data-neardup-bar]")) ? own : idle ? null : other)?.click();
    }

    const KEYS = {
        j: () => along(1),
        k: () => along(-1),
        x: () => current && change(box(current), !box(current)?.checked),
        g: () => current && change(one("input[type=radio]", current), true),
    };

    function help() {
        const dialog = one("dialog[data-neardup-help]");
        if (dialog?.open) {
            dialog.close();
        } else {
            dialog?.showModal();
        }
    }

    function named(event) {
        const place = FOREIGN.test(event.key) ? PLACES.exec(event.code)?.[1] : null;
        const letter = LATIN.test(event.key) ? event.key : place;
        if (letter) {
            return event.shiftKey ? "" : letter.toLowerCase();
        }
        return event.key === "?" || (event.code === "Slash" && event.shiftKey) ? "?" : event.key;
    }

    function listen(event) {
        const plain = !event.defaultPrevented && !event.ctrlKey && !event.altKey && !event.metaKey;
        if (!on || !plain || event.isComposing || event.target.closest?.(FIELDS)) {
            return;
        }
        const key = named(event);
        if (one("dialog[open]") && key !== "?") {
            return;
        }
        const arrow = { ArrowDown: 1, ArrowUp: -1 }[key];
        if (key === "?") {
            help();
        } else if (arrow && rows().length && !event.target.closest?.("input[type=radio]")) {
            if (!step(arrow)) {
                return;
            }
        } else if (KEYS[key]) {
            KEYS[key]();
        } else if (key.length === 1 && ACTS.includes(key)) {
            if (!event.repeat) {
                press(key);
            }
        } else if (key === "Enter" && current && event.target === document.body) {
            link(current)?.click();
        } else if (key === "Escape" && current) {
            current.classList.remove("neardup-current");
            current = null;
        } else {
            return;
        }
        if (key !== "Escape") {
            event.preventDefault();
        }
    }

    /* What is ticked is counted aloud, and what is not is shown as left out. */
    function count() {
        const boxes = rows().map(box).filter(Boolean);
        const chosen = ticked().length;
        all("[data-neardup-count]").forEach((each) => (each.textContent = chosen));
        boxes.forEach((each) => each.closest("[data-neardup-row]").classList.toggle("neardup-off", !each.checked));
        all("[data-neardup-all]").forEach((each) => {
            each.checked = chosen > 0 && chosen === boxes.length;
            each.indeterminate = chosen > 0 && chosen < boxes.length;
        });
        all("[data-neardup-rest]").forEach((each) => (each.hidden = chosen === boxes.length));
    }

    function keep() {
        all("input[type=radio][name=keeper]").forEach((each) => {
            each.closest("[data-neardup-row], article")?.classList.toggle("neardup-keeper", each.checked);
        });
    }

    function changed({ target }) {
        if (target.matches("[data-neardup-all]")) {
            rows().forEach((row) => change(box(row), target.checked));
        } else if (target.matches("[data-neardup-switch]")) {
            on = target.checked;
            store(on ? "on" : "off");
        } else if (target.matches("[name=keeper]")) {
            keep();
        }
        if (target.closest("[data-neardup-row]")) {
            count();
        }
    }

    let sent = false;

    /* A decision is sent once, however often its button is clicked. */
    function send(event) {
        const { method } = event.target;
        if (event.defaultPrevented || (event.submitter?.getAttribute("formmethod") || method) !== "post") {
            return;
        }
        if (sent) {
            event.preventDefault();
        }
        sent = true;
    }

    function start() {
        all("[data-neardup-script], [data-neardup-ask], [data-neardup-all]").forEach((each) => (each.hidden = false));
        all("[data-neardup-ask]").forEach((each) => each.addEventListener("click", help));
        all("[data-neardup-switch]").forEach((each) => (each.checked = on));
        document.addEventListener("keydown", listen);
        document.addEventListener("change", changed);
        document.addEventListener("submit", send);
        window.addEventListener("pageshow", () => (sent = false));
        document.addEventListener("focusin", ({ target }) => {
            const row = target.closest?.("[data-neardup-row]");
            if (row && row !== current) {
                current?.classList.remove("neardup-current");
                current = row;
                row.classList.add("neardup-current");
            }
        });
        count();
        keep();
    }

    if (document.readyState === "loading") {
        document.addEventListener("DOMContentLoaded", start);
    } else {
        start();
    }
}
