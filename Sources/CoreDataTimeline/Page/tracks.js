// Tracks, one for each context, with a row for each category. A row has lines of bars, as events lie within others.
const mostLines = 6;

function makeTracks() {
    const tracks = new Map();
    for (let i = 0; i < count; i++) {
        const key = events.contextID[i];
        let track = tracks.get(key);
        if (!track) {
            track = { id: key, name: text(events.context[i]) || "No context", rows: [], first: events.start[i] };
            tracks.set(key, track);
        }
        const category = categoryOf(i);
        const row = track.rows[category] ||= { category, lines: [], count: 0, total: 0 };
        row.count++;
        row.total += events.duration[i];
        let line = 0;
        while (line < row.lines.length && line < mostLines - 1 && row.lines[line].end > events.start[i]) line++;
        const bars = row.lines[line] ||= { indexes: [], end: -Infinity };
        bars.indexes.push(i);
        bars.end = Math.max(bars.end, ends[i]);
    }
    // Work without a context is of no track's own, and comes last.
    const all = [...tracks.values()].sort((a, b) => (a.id === 0) - (b.id === 0) || a.first - b.first);
    const uses = new Map();
    for (const track of all) uses.set(track.name, (uses.get(track.name) || 0) + 1);
    for (const track of all) {
        if (uses.get(track.name) > 1) track.name += ` (${track.id})`;
        track.rows = track.rows.filter(Boolean).sort((a, b) => a.category - b.category);
        for (const row of track.rows) for (const line of row.lines) finishLine(line);
    }
    return all;
}

// Bars of a line are sorted by start, and so are the greatest ends until each: the first visible one is found by halving.
function finishLine(line) {
    const indexes = Int32Array.from(line.indexes);
    const starts = new Float64Array(indexes.length), reach = new Float64Array(indexes.length);
    let end = -Infinity;
    indexes.forEach((index, place) => {
        starts[place] = events.start[index];
        reach[place] = end = Math.max(end, ends[index]);
    });
    Object.assign(line, { indexes, starts, reach });
}

// The first place whose value is at least `wanted`.
function firstPlace(values, wanted, low = 0) {
    let high = values.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < wanted) low = middle + 1; else high = middle;
    }
    return low;
}

const tracks = makeTracks();
const hidden = new Set();

// Where each row is drawn, from the top.
const lineHeight = 13, lineGap = 2, rowPadding = 5, titleHeight = 26, titleLine = 16, trackGap = 8, gutter = 176;
// The axis has a line for the markers of findings below its numbers, if there are any.
const numbersHeight = 24, markerSize = 16, axisHeight = numbersHeight + (findings.length ? markerSize + 5 : 0);
let placedRows = [], placedTracks = [], contentHeight = 0;

function placeRows() {
    placedRows = [];
    placedTracks = [];
    let y = axisHeight + 4;
    for (const track of tracks) {
        const rows = track.rows.filter((row) => !hidden.has(row.category));
        if (!rows.length) continue;
        const top = y, title = titleOf(track);
        y += titleHeight + (title.length - 1) * titleLine;
        const titleEnd = y;
        for (const row of rows) {
            const height = rowPadding * 2 + row.lines.length * (lineHeight + lineGap) - lineGap;
            placedRows.push({ row, track, y, height });
            y += height;
        }
        placedTracks.push({ track, title, top, titleEnd, bottom: y });
        y += trackGap;
    }
    contentHeight = y + 4;
}
