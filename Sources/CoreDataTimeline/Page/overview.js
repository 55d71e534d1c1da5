// The strip above the timeline: how much was under way when, and which part is visible.
let loads = null;
const overviewHeight = 58;
const overviewX = (moment) => (moment - earliest) / (latest - earliest) * width;

// How many events of each category are under way in each column of pixels.
function measureLoads() {
    const columns = Math.max(1, Math.floor(width / 3));
    loads = categories.map(() => new Float32Array(columns));
    const scale = columns / (latest - earliest);
    for (let i = 0; i < count; i++) {
        const category = categoryOf(i);
        if (hidden.has(category)) continue;
        const load = loads[category];
        const begin = (events.start[i] - earliest) * scale, end = (ends[i] - earliest) * scale;
        const last = Math.min(columns - 1, Math.floor(end));
        for (let at = Math.min(columns - 1, Math.floor(begin)); at <= last; at++) {
            load[at] += Math.max(0.03, Math.min(end, at + 1) - Math.max(begin, at));
        }
    }
}

function drawOverview() {
    if (!loads) measureLoads();
    const context = overviewBrush, columns = loads[0].length, columnWidth = width / columns;
    context.clearRect(0, 0, width, overviewHeight);
    let most = 0;
    for (let at = 0; at < columns; at++) most = Math.max(most, loads.reduce((sum, load) => sum + load[at], 0));
    for (let at = 0; at < columns; at++) {
        let y = overviewHeight - 4;
        // The root of the sum, so that single events can be seen beside busy times; its parts keep their proportions.
        const sum = loads.reduce((sum, load) => sum + load[at], 0);
        const whole = Math.sqrt(sum / most) * (overviewHeight - 14);
        loads.forEach((load, category) => {
            if (!load[at]) return;
            const size = Math.max(1.5, load[at] / sum * whole - 0.5);
            context.fillStyle = colors[categories[category]];
            context.fillRect(at * columnWidth, y - size, columnWidth + 0.3, size);
            y -= size + 0.5;
        });
    }
    context.fillStyle = colors.alarm;
    for (const { from, to } of findingSpans) {
        if (from <= to) context.fillRect(overviewX(from), 0, Math.max(3, overviewX(to) - overviewX(from)), 3);
    }
    const left = overviewX(view.from), right = Math.max(overviewX(view.to), left + 2);
    context.globalAlpha = 0.68;
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, left, overviewHeight);
    context.fillRect(right, 0, width - right, overviewHeight);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(left + 1, 1, Math.max(1, right - left - 2), overviewHeight - 2, 5);
    context.stroke();
    context.fillStyle = colors.accent;
    for (const x of [left, right - 4]) {
        context.beginPath();
        context.roundRect(x, overviewHeight / 2 - 9, 4, 18, 2);
        context.fill();
    }
}
