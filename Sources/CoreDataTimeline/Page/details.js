// The tip at the pointer, and the panel of details.
const tip = $("tip");

function hideTip() {
    tip.hidden = true;
    if (hovered >= 0) {
        hovered = -1;
        redraw();
    }
}

function hover(event) {
    const index = eventAt(event.offsetX, event.offsetY), finding = findingAt(event.offsetX, event.offsetY);
    canvas.style.cursor = index >= 0 || finding >= 0 ? "pointer" : event.offsetX < gutter ? "default" : "grab";
    if (finding >= 0) {
        tip.replaceChildren(element("strong", {}, findings[finding].message));
        return placeTip(event);
    }
    const track = trackAt(event.offsetX, event.offsetY);
    if (track) {
        hideTip();
        tip.replaceChildren(element("strong", {}, track.name));
        return placeTip(event);
    }
    if (index < 0) return hideTip();
    if (index !== hovered) {
        hovered = index;
        const at = group(index);
        fill(tip,
            element("strong", {}, swatch(categoryOf(index)), `${kindName(at.kind)} ${subject(at)}`),
            ...facts(index).filter(([name]) => tipFacts.has(name)).map(([name, value]) =>
                element("div", {}, element("span", { class: "name" }, name), element("span", {}, short(value)))),
            events.statements[index] ? element("code", {}, short(text(list(events.statements[index])[0]), 220)) : null);
        redraw();
    }
    placeTip(event);
}
const tipFacts = new Set(["Duration", "Waiting", "Predicate", "Objects", "Rows", "Changes", "Thread", "Source", "Failure"]);
const short = (value, limit = 140) => value.length > limit ? value.slice(0, limit) + "…" : value;

function placeTip(event) {
    tip.hidden = false;
    const x = event.clientX, y = event.clientY, { offsetWidth, offsetHeight } = tip;
    tip.style.left = `${x + 16 + offsetWidth > innerWidth ? Math.max(4, x - offsetWidth - 12) : x + 16}px`;
    tip.style.top = `${y + 18 + offsetHeight > innerHeight ? Math.max(4, y - offsetHeight - 12) : y + 18}px`;
}

// Name and value of all that is known of an event, as far as it fits a line.
function facts(i) {
    const changes = [["inserted", events.inserted[i]], ["updated", events.updated[i]], ["deleted", events.deleted[i]]]
        .filter(([, value]) => value).map(([name, value]) => `${number(value)} ${name}`).join(", ");
    const optional = (name, value) => value ? [[name, value]] : [];
    return [
        ["Duration", time(events.duration[i], 4)], ["Start", time(events.start[i], 7)],
        ...optional("Waiting", events.waiting[i] && time(events.waiting[i])),
        ...optional("In SQLite", events.sql[i] && time(events.sql[i])),
        ...optional("Commit", events.commit[i] && time(events.commit[i])),
        ["Source", sources[events.source[i]]],
        ["Objects", number(events.objects[i])], ["Rows", number(events.rows[i])],
        ...optional("Changes", changes), ...optional("Predicate", text(events.predicate[i])),
        ...optional("Sorted by", list(events.sort[i]).map(text).join(", ")),
        ...optional("Limit", events.limit[i] && number(events.limit[i])),
        ...optional("Object", objectID(i)),
        ...optional("Context", text(events.context[i])), ["Thread", threadName(i)],
        ...optional("Task", text(events.task[i])), ...optional("Store", text(events.store[i])),
        ...optional("Failure", text(events.failure[i])), ["Event", String(events.id[i])],
    ];
}

const factList = (pairs) => element("dl", {}, ...pairs.flatMap(([name, value]) => [
    element("dt", {}, name), element("dd", { class: name === "Failure" ? "alarm" : null }, value)]));

function eventButton(i, label) {
    const at = group(i);
    return element("button", { class: "event", type: "button", "data-event": events.id[i], onclick: () => reveal(i) },
        swatch(categoryOf(i)), element("span", { class: "what" }, label || `${kindName(at.kind)} ${subject(at)}`),
        element("span", { class: "cost" }, time(events.duration[i])));
}

function eventList(title, indexes) {
    if (!indexes.length) return null;
    const shown = indexes.slice(0, 100), rest = indexes.length - shown.length;
    return element("section", {}, element("h3", {}, `${title} (${number(indexes.length)})`),
        element("div", { class: "events" }, ...shown.map((i) => eventButton(i))),
        rest ? element("p", { class: "faint" }, `and ${number(rest)} more`) : null);
}

function showEvent(i) {
    const at = group(i), statements = list(events.statements[i]), plan = list(events.plan[i]).map(text);
    const used = [];
    for (let place = 0; place < statements.length; place += 2) used.push([text(statements[place]), statements[place + 1]]);
    const parent = indexOfID.get(events.parent[i]);
    const inFindings = findings.map((_, number) => number).filter((number) => findings[number].eventIDs.includes(events.id[i]));
    fill($("details"),
        element("h2", { tabindex: "-1" }, swatch(categoryOf(i)), `${kindName(at.kind)} ${subject(at)}`),
        element("div", { class: "actions" },
            element("button", { type: "button", onclick: () => showSpan(events.start[i], ends[i]) }, "Zoom to event"),
            element("button", { type: "button", onclick: () => select(-1) }, "Close")),
        factList(facts(i)),
        parent === undefined ? null : element("section", {}, element("h3", {}, "Part of"), eventButton(parent)),
        eventList("Consists of", children.get(events.id[i]) || []),
        used.length ? element("section", {}, element("h3", {}, used.length > 1 ? "Statements" : "Statement"),
            ...used.map(([sql, uses]) => element("pre", {},
                uses > 1 ? element("span", { class: "badge" }, `${number(uses)} ×`) : null, sql))) : null,
        plan.length ? element("section", {}, element("h3", {}, "Query plan"), element("pre", {}, plan.join("\n"))) : null,
        ...inFindings.map((number) => element("button", {
            class: "link", type: "button", onclick: () => openFinding(number),
        }, `Finding ${number + 1}: ${findings[number].message}`)));
}

function showNothing() {
    fill($("details"),
        element("h2", { tabindex: "-1" }, "Details"),
        element("p", { class: "faint" }, "Select an event on the timeline, an operation or a finding."),
        element("dl", { class: "keys" }, ...[
            ["Wheel, + −", "zoom"], ["Drag, ← →", "pan"], ["0", "show everything"], ["⇧← ⇧→", "previous, next event"],
            ["Double click", "zoom to event"], ["Esc", "deselect"],
        ].flatMap(([keys, effect]) => [element("dt", {}, keys), element("dd", {}, effect)])));
}

function setHash(hash) {
    try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* Not in a frame. */ }
}

function mark(indexes) {
    marked = null;
    delete state.marked;
    if (!indexes) return;
    state.marked = indexes.length;
    marked = new Uint8Array(count);
    for (const i of indexes) marked[i] = 1;
}

function select(index, hash = true) {
    selected = index;
    if (index >= 0) {
        state.selected = events.id[index];
        if (marked && !marked[index]) closeFinding();
        showEvent(index);
    } else {
        delete state.selected;
        closeFinding();
        showNothing();
    }
    if (hash) setHash(index >= 0 ? `#event=${events.id[index]}` : "");
    redraw();
}

function closeFinding() {
    delete state.finding;
    mark(null);
    for (const button of document.querySelectorAll(".finding")) button.setAttribute("aria-pressed", "false");
}

// Selects an event, and moves the view to it where it is outside or too small to be seen.
function reveal(i) {
    unhide(i);
    select(i);
    const span = view.to - view.from;
    if (events.start[i] < view.from || ends[i] > view.to || events.duration[i] / span * width < 3) {
        const half = Math.min(span, Math.max(events.duration[i] * 20, 200000)) / 2;
        const middle = (events.start[i] + ends[i]) / 2;
        show(middle - half, middle + half);
    }
    const place = placeOf(i), stage = $("stage");
    if (place && (place.y < stage.scrollTop || place.y + 30 > stage.scrollTop + stage.clientHeight)) {
        stage.scrollTop = place.y - stage.clientHeight / 2;
    }
}
