// What is visible, and the ways to change that.
const shortest = 100;
let isScheduled = false, settling = 0;

function redraw() {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
        isScheduled = false;
        draw();
    });
    clearTimeout(settling);
    settling = setTimeout(showEvents, 120);
}

function show(from, to) {
    const span = Math.min(Math.max(to - from, shortest), latest - earliest);
    const middle = (from + to) / 2;
    view.from = Math.max(earliest, Math.min(middle - span / 2, latest - span));
    view.to = view.from + span;
    $("range").textContent = `${time(view.from, 6)} – ${time(view.to, 6)}`;
    redraw();
}

function zoom(factor, around = (view.from + view.to) / 2) {
    show(around - (around - view.from) * factor, around + (view.to - around) * factor);
}
const pan = (part) => {
    const by = (view.to - view.from) * part;
    show(view.from + by, view.to + by);
};
const showAll = () => show(earliest, latest);

// With a margin, so that the surroundings can be seen.
function showSpan(from, to) {
    const margin = Math.max((to - from) * 0.25, 2000);
    show(from - margin, to + margin);
}

function resize() {
    width = $("stage").clientWidth;
    height = contentHeight;
    fit(canvas, brush, width, height);
    fit(overview, overviewBrush, width, overviewHeight);
    loads = null;
    redraw();
}

// The event under a point, or the nearest one within three pixels.
function eventAt(x, y) {
    if (x < gutter) return -1;
    const placed = placedRows.find((placed) => y >= placed.y && y < placed.y + placed.height);
    if (!placed) return -1;
    const number = Math.floor((y - placed.y - rowPadding + lineGap / 2) / (lineHeight + lineGap));
    const line = placed.row.lines[Math.max(0, Math.min(number, placed.row.lines.length - 1))];
    const moment = momentAt(x), tolerance = 3 * (view.to - view.from) / (width - gutter);
    let best = -1, distance = tolerance;
    const last = firstPlace(line.starts, moment + tolerance);
    for (let place = last - 1; place >= 0 && line.reach[place] >= moment - tolerance; place--) {
        const index = line.indexes[place];
        const away = Math.max(events.start[index] - moment, moment - ends[index], 0);
        if (away < distance || (away === 0 && best < 0)) [best, distance] = [index, away];
        if (away === 0 || last - place > 400) break;
    }
    return best;
}

function findingAt(x, y) {
    if (y < numbersHeight - 3 || y > axisHeight) return -1;
    // The last one is drawn above the others.
    return placeFlags().findLast((flag) => x >= flag.x - 1 && x < flag.x + markerSize + 1)?.number ?? -1;
}

// MARK: Pointer

const pointers = new Map();
let pressed = null, pinch = 0;

function capture(target, event) {
    try { target.setPointerCapture(event.pointerId); } catch { /* The pointer has been released meanwhile. */ }
}

canvas.addEventListener("pointerdown", (event) => {
    capture(canvas, event);
    pointers.set(event.pointerId, event.offsetX);
    pressed = {
        x: event.offsetX, y: event.clientY, scroll: $("stage").scrollTop, from: view.from, to: view.to, moved: false,
    };
    pinch = 0;
});
canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return hover(event);
    pointers.set(event.pointerId, event.offsetX);
    if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], distance = Math.max(10, Math.abs(a - b));
        if (pinch) zoom(pinch / distance, momentAt((a + b) / 2));
        pinch = distance;
        if (pressed) pressed.moved = true;
        return;
    }
    if (!pressed || pinch) return;
    const by = event.offsetX - pressed.x;
    if (Math.abs(by) > 3 || Math.abs(event.clientY - pressed.y) > 3) pressed.moved = true;
    if (!pressed.moved) return;
    hideTip();
    $("stage").scrollTop = pressed.scroll - (event.clientY - pressed.y);
    const moments = by / (width - gutter) * (pressed.to - pressed.from);
    show(pressed.from - moments, pressed.to - moments);
});
function release(event) {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) pinch = 0;
}
canvas.addEventListener("pointerup", (event) => {
    release(event);
    if (!pressed || pressed.moved) return;
    const finding = findingAt(event.offsetX, event.offsetY);
    if (finding >= 0) openFinding(finding); else select(eventAt(event.offsetX, event.offsetY));
});
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => hideTip());
canvas.addEventListener("dblclick", (event) => {
    const index = eventAt(event.offsetX, event.offsetY);
    if (index >= 0) showSpan(events.start[index], ends[index]);
});
canvas.addEventListener("wheel", (event) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    // Over the names the wheel scrolls as elsewhere.
    if (!isSideways && event.offsetX < gutter && !event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (isSideways) pan((event.deltaX || event.deltaY) * unit / width);
    else zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * unit)) * (event.ctrlKey ? 0.012 : 0.004)),
        momentAt(Math.max(event.offsetX, gutter)));
}, { passive: false });

// MARK: Overview

let grip = null;
overview.addEventListener("pointerdown", (event) => {
    capture(overview, event);
    const x = event.offsetX, left = overviewX(view.from), right = overviewX(view.to);
    const isWhole = view.to - view.from > (latest - earliest) * 0.999;
    const kind = Math.abs(x - left) < 7 ? "from" : Math.abs(x - right) < 7 ? "to"
        : x > left && x < right && !isWhole ? "move" : "new";
    grip = { kind, x, from: view.from, to: view.to };
});
overview.addEventListener("pointermove", (event) => {
    const moment = (x) => earliest + Math.max(0, Math.min(x, width)) / width * (latest - earliest);
    if (!grip) return;
    const by = moment(event.offsetX) - moment(grip.x);
    if (grip.kind === "from") show(Math.min(moment(event.offsetX), grip.to - shortest), grip.to);
    else if (grip.kind === "to") show(grip.from, Math.max(moment(event.offsetX), grip.from + shortest));
    else if (grip.kind === "move") show(grip.from + by, grip.to + by);
    else if (Math.abs(event.offsetX - grip.x) > 2) {
        const [a, b] = [moment(grip.x), moment(event.offsetX)];
        show(Math.min(a, b), Math.max(a, b));
    }
});
overview.addEventListener("pointerup", (event) => {
    if (grip && grip.kind === "new" && Math.abs(event.offsetX - grip.x) <= 2) {
        const at = earliest + event.offsetX / width * (latest - earliest), half = (view.to - view.from) / 2;
        show(at - half, at + half);
    }
    grip = null;
});
overview.addEventListener("pointercancel", () => { grip = null; });
overview.addEventListener("dblclick", showAll);

// MARK: Keyboard

function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
        "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": showAll,
        ArrowLeft: () => event.shiftKey ? selectNext(-1) : pan(-0.15),
        ArrowRight: () => event.shiftKey ? selectNext(1) : pan(0.15),
        ArrowUp: () => zoom(0.6), ArrowDown: () => zoom(1 / 0.6), Escape: () => select(-1), Enter: () => selectNext(0),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
}
canvas.addEventListener("keydown", key);
overview.addEventListener("keydown", key);

// Selects the next event in time, or the first one in view.
function selectNext(by) {
    if (!count) return;
    const next = selected < 0 || by === 0 ? firstPlace(events.start, view.from) : selected + by;
    const index = Math.max(0, Math.min(count - 1, next));
    select(index);
    if (ends[index] < view.from || events.start[index] > view.to) {
        const half = (view.to - view.from) / 2;
        show(events.start[index] - half, events.start[index] + half);
    }
}
