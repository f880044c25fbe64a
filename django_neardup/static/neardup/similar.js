/*
  Shows, while somebody types, the posts that the text is like. Without this script the form's own button does so.
    <form data-neardup-check="/similar/api/check/board.ad/"   whom to ask
          data-neardup-fields="title text"    what to send (without it: every text field; never passwords and files)
          data-neardup-prefix="ad-"           what stands before the fields' names in this form, if anything
          data-neardup-pk="42"                which post is edited, if it is one
          data-neardup-words="4">             fewer words are not asked about
    <section data-neardup-similar role="region" aria-live="polite" aria-label="Similar posts"></section>
  The list comes as HTML from the site itself. Only its [data-neardup-message] is read aloud.
*/
"use strict";
{
    const PAUSE = 600;
    const WORDS = 4;
    const REFUSED = 60;
    const TEXTS = "textarea, input:is(:not([type]), [type=text], [type=search], [type=tel], [type=email], [type=url], [type=number])";
    const NEVER = "[type=password], [type=file]";
    const forms = new WeakMap();

    /* What is sent: as a form, so that any name of the token's header will do. */
    function body(form) {
        const { neardupFields, neardupPrefix = "", neardupPk } = form.dataset;
        const named = neardupFields?.split(/\s+/).map((name) => neardupPrefix + name);
        const asked = [...form.elements].filter(
            (field) => field.name && !field.matches(NEVER) && (named ? named.includes(field.name) : field.matches(TEXTS)),
        );
        const names = new Set(asked.map((field) => field.name));
        const sent = new URLSearchParams();
        for (const [name, value] of new FormData(form)) {
            if (names.has(name) && typeof value === "string") {
                sent.append(name.startsWith(neardupPrefix) ? name.slice(neardupPrefix.length) : name, value);
            }
        }
        if (neardupPk) {
            sent.append("pk", neardupPk);
        }
        return sent;
    }

    const count = (sent) => ([...sent.values()].join(" ").match(/[\p{L}\p{N}]+/gu) || []).length;

    /* Two parts that stay: what is read aloud, and the list, which is not. */
    function parts(output) {
        const said = document.createElement("p");
        said.className = "neardup-aside";
        const list = document.createElement("div");
        list.setAttribute("aria-live", "off");
        list.append(...output.childNodes);
        output.replaceChildren(said, list);
        return { said, list };
    }

    class Watched {
        constructor(form, output) {
            Object.assign(this, { form, asked: "", until: 0, timer: 0, request: null }, parts(output));
            this.list.addEventListener("focusout", ({ relatedTarget }) => this.left(relatedTarget));
        }

        /* What could not be shown while the list was read is asked for again. */
        left(target) {
            if (!this.list.contains(target)) {
                this.typed();
            }
        }

        /* Whatever is under way is about an older text. */
        typed() {
            clearTimeout(this.timer);
            this.request?.abort();
            this.timer = setTimeout(() => this.ask(), Math.max(PAUSE, this.until - Date.now()));
        }

        async ask() {
            const sent = body(this.form);
            const text = sent.toString();
            if (count(sent) < Number(this.form.dataset.neardupWords || WORDS)) {
                this.asked = "";
                this.show("");
            } else if (text !== this.asked) {
                const { signal } = (this.request = new AbortController());
                const token = this.form.elements.namedItem("csrfmiddlewaretoken");
                sent.append("csrfmiddlewaretoken", token?.value ?? "");
                try {
                    const html = await this.answer(sent, signal);
                    if (html !== null && !signal.aborted && this.show(html)) {
                        this.asked = text;
                    }
                } catch {
                    // nobody who writes is to be troubled by a list that does not come
                }
            }
        }

        /* The list as HTML; null where none is given. */
        async answer(sent, signal) {
            const response = await fetch(this.form.dataset.neardupCheck, {
                method: "POST", body: sent, signal, redirect: "error", headers: { Accept: "text/html" },
            });
            if (response.status === 429) {
                this.until = Date.now() + 1000 * (Number(response.headers.get("Retry-After")) || REFUSED);
                this.timer = setTimeout(() => this.ask(), this.until - Date.now());
            }
            return response.ok ? response.text() : null;
        }

        /* A list that somebody is reading by the keyboard stays as it is. */
        show(html) {
            if (this.list.contains(document.activeElement)) {
                return false;
            }
            const found = new DOMParser().parseFromString(html, "text/html");
            const words = found.querySelector("[data-neardup-message]")?.textContent.trim() ?? "";
            this.list.replaceChildren(...found.body.childNodes);
            if (this.said.textContent !== words) {
                this.said.textContent = words;
            }
            return true;
        }
    }

    document.addEventListener("input", ({ target }) => {
        const form = target.form?.closest("form[data-neardup-check]");
        const output = form?.querySelector("[data-neardup-similar]");
        if (output && !target.matches(NEVER)) {
            if (!forms.has(form)) {
                forms.set(form, new Watched(form, output));
            }
            forms.get(form).typed();
        }
    });
}
