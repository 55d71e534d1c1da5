// The timeline. Bars narrower than a pixel are merged: a row takes time by its width, not by its events.
const canvas = $("timeline"), overview = $("overview");
const brush = canvas.getContext("2d"), overviewBrush = overview.getContext("2d");
const earliest = count ? Math.min(0, events.start[0]) : 0;
const latest = Math.max(data.duration, count ? ends.reduce((a, b) => Math.max(a, b)) : 0, earliest + 1000);
const view = { from: earliest, to: latest };
// The events that are emphasized, as a flag for each; null for none.
let marked = null;
let selected = -1, hovered = -1;
let width = 0, height = 0;
let colors = {};
const titleFont = "600 12.5px system-ui, sans-serif";

function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of [...categories, "text", "faint", "line", "panel", "alarm", "accent", "band", "page"]) {
        colors[name] = style.getPropertyValue(`--${name}`).trim();
    }
}

function fit(target, context, cssWidth, cssHeight) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    target.width = Math.max(1, Math.round(cssWidth * ratio));
    target.height = Math.max(1, Math.round(cssHeight * ratio));
    target.style.height = `${cssHeight}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

const xOf = (moment) => gutter + (moment - view.from) / (view.to - view.from) * (width - gutter);
const momentAt = (x) => view.from + (x - gutter) / (width - gutter) * (view.to - view.from);

// Calls `each(x, width, event, number of events, whether one is marked)` for the bars of a line that can be told apart.
function eachBar(line, each) {
    const { indexes, starts, reach } = line;
    const scale = (width - gutter) / (view.to - view.from), perPixel = 1 / scale;
    let place = firstPlace(reach, view.from);
    while (place < indexes.length && starts[place] <= view.to) {
        const first = place, index = indexes[place];
        const x = gutter + (starts[place] - view.from) * scale;
        const barWidth = events.duration[index] * scale;
        if (barWidth >= 2) {
            each(x, barWidth, index, 1, marked ? marked[index] === 1 : true);
            place++;
            continue;
        }
        // All events that begin within this pixel and the next, as one bar.
        const limit = starts[place] + perPixel * 2;
        place = firstPlace(starts, limit, place + 1);
        let isMarked = !marked, end = reach[place - 1];
        if (marked) for (let i = first; i < place && !isMarked; i++) isMarked = marked[indexes[i]] === 1;
        each(x, Math.max(1.5, (end - starts[first]) * scale), index, place - first, isMarked);
    }
}

function draw() {
    brush.clearRect(0, 0, width, height);
    brush.font = "12px system-ui, sans-serif";
    brush.textBaseline = "middle";
    drawBands();
    drawAxis();
    let bars = 0;
    brush.save();
    brush.beginPath();
    brush.rect(gutter, axisHeight, width - gutter, height - axisHeight);
    brush.clip();
    for (const placed of placedRows) {
        const color = colors[categories[placed.row.category]];
        placed.row.lines.forEach((line, number) => {
            const y = placed.y + rowPadding + number * (lineHeight + lineGap);
            eachBar(line, (x, barWidth, index, events, isMarked) => {
                bars++;
                const left = Math.max(x, gutter - 4), right = Math.min(x + barWidth, width + 4);
                brush.globalAlpha = isMarked ? 1 : 0.22;
                brush.fillStyle = color;
                if (right - left > 5) {
                    brush.beginPath();
                    brush.roundRect(left, y, right - left - 0.5, lineHeight, 3);
                    brush.fill();
                } else {
                    brush.fillRect(left, y, Math.max(1.5, right - left), lineHeight);
                }
                if (events === 1 && right - left > 44) drawName(index, left, right, y);
            });
        });
    }
    brush.globalAlpha = 1;
    drawFindings();
    drawOutline(hovered, colors.text, 1);
    drawOutline(selected, colors.accent, 2);
    brush.restore();
    state.bars = bars;
    state.from = Math.round(view.from / 1000);
    state.to = Math.round(view.to / 1000);
    drawOverview();
}

function drawName(index, left, right, y) {
    brush.save();
    brush.beginPath();
    brush.rect(left, y, right - left - 4, lineHeight);
    brush.clip();
    brush.fillStyle = colors.page;
    brush.font = "600 10px system-ui, sans-serif";
    const at = group(index);
    brush.fillText(subject(at) || kindName(at.kind), left + 5, y + lineHeight / 2 + 0.5);
    brush.restore();
}

function drawBands() {
    for (const { title, top, bottom } of placedTracks) {
        brush.fillStyle = colors.band;
        brush.beginPath();
        brush.roundRect(0, top, width, bottom - top, 6);
        brush.fill();
        brush.fillStyle = colors.text;
        brush.font = titleFont;
        title.forEach((text, line) => brush.fillText(text, 10, top + titleHeight / 2 + 1 + line * titleLine));
    }
    brush.font = "12px system-ui, sans-serif";
    for (const { row, y, height } of placedRows) {
        brush.fillStyle = colors[categories[row.category]];
        brush.beginPath();
        brush.roundRect(12, y + height / 2 - 4, 8, 8, 2);
        brush.fill();
        brush.fillStyle = colors.faint;
        brush.fillText(categoryNames[categories[row.category]], 27, y + height / 2 + 0.5);
        brush.textAlign = "right";
        brush.fillText(number(row.count), gutter - 10, y + height / 2 + 0.5);
        brush.textAlign = "left";
        brush.fillStyle = colors.line;
        brush.fillRect(gutter, y + height - 0.5, width - gutter, 0.5);
    }
}

// The name of a track, in one or two lines: as much of it as there is room for before the line of 0.
function titleOf(track) {
    brush.font = titleFont;
    return wrapped(track.name, gutter - 20, (text) => brush.measureText(text).width);
}

// The track whose title is under a point.
const trackAt = (x, y) => x >= gutter ? undefined
    : placedTracks.find(({ top, titleEnd }) => y >= top && y < titleEnd)?.track;

// Ticks at 1, 2 or 5 times a power of ten, about a hundred pixels apart.
function step(span, pixels) {
    const rough = span / Math.max(1, pixels / 100), power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
}

function drawAxis() {
    const size = Math.max(1, step(view.to - view.from, width - gutter));
    brush.font = "11px system-ui, sans-serif";
    for (let at = Math.ceil(view.from / size) * size; at <= view.to; at += size) {
        const x = xOf(at);
        brush.fillStyle = colors.line;
        brush.fillRect(x, 0, 1, height);
        brush.fillStyle = colors.faint;
        brush.fillText(time(at, 6), x + 5, numbersHeight / 2, 90);
    }
}

function drawOutline(index, color, lineWidth) {
    if (index < 0) return;
    const place = placeOf(index);
    if (!place) return;
    const x = xOf(events.start[index]), barWidth = Math.max(3, xOf(ends[index]) - x);
    if (x > width || x + barWidth < gutter) return;
    brush.strokeStyle = color;
    brush.lineWidth = lineWidth;
    brush.beginPath();
    brush.roundRect(Math.max(x, gutter - 6) - 1, place.y - 1, Math.min(barWidth, width + 12) + 2, lineHeight + 2, 4);
    brush.stroke();
}

// Where an event is drawn; null where its row is hidden.
function placeOf(index) {
    const category = categoryOf(index), context = events.contextID[index];
    const placed = placedRows.find((placed) => placed.row.category === category && placed.track.id === context);
    if (!placed) return null;
    for (let number = 0; number < placed.row.lines.length; number++) {
        const { indexes } = placed.row.lines[number];
        if (indexes[firstPlace(indexes, index)] === index) {
            return { y: placed.y + rowPadding + number * (lineHeight + lineGap) };
        }
    }
    return null;
}
