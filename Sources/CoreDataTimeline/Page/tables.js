// Operations by cost, and the events in view: what the timeline shows, as tables.
const stats = data.groups.map((group, number) => ({
    number, group, count: 0, total: 0, longest: 0, costliest: -1, objects: 0, rows: 0,
    title: `${kindName(group.kind)} ${subject(group)}`.trim(),
    condition: group.condition || text(group.sql),
    words: [kindName(group.kind), group.kind, subject(group), group.condition, text(group.sql)].join(" ").toLowerCase(),
}));
let allTime = 0;
for (let i = 0; i < count; i++) {
    const stat = stats[events.group[i]], duration = events.duration[i];
    stat.count++;
    stat.total += duration;
    stat.objects += events.objects[i];
    stat.rows += events.rows[i];
    if (stat.costliest < 0 || duration > stat.longest) [stat.longest, stat.costliest] = [duration, i];
    if (!events.parent[i]) allTime += duration;
}
for (const stat of stats) stat.mean = stat.total / Math.max(1, stat.count);

let filter = "", sortedBy = "total", isAscending = false, shownGroups = 50;
const pageSize = 100;
let page = 0;
const matches = (stat) => !filter || filter.split(/\s+/).every((word) => stat.words.includes(word));

function showGroups() {
    const found = stats.filter(matches).sort((a, b) => {
        const [x, y] = [a[sortedBy], b[sortedBy]];
        const order = typeof x === "string" ? x.localeCompare(y) : x - y;
        return (isAscending ? order : -order) || a.number - b.number;
    });
    const most = stats.reduce((most, stat) => Math.max(most, stat.total), 1);
    $("groups").replaceChildren(...found.slice(0, shownGroups).map((stat) => element("tr", {},
        element("td", {}, element("button", {
            class: "operation", type: "button", "data-group": stat.number, onclick: () => openGroup(stat),
            "aria-label": `${stat.title}: show the longest of ${quantity(stat.count, "event")}`,
        }, swatch(categoryOf(stat.costliest)), stat.title)),
        element("td", { class: "condition", title: stat.condition }, element("code", {}, short(stat.condition, 180))),
        element("td", { class: "number" }, number(stat.count)),
        element("td", { class: "number bar" },
            element("span", { class: "fill", style: `width:${(stat.total / most * 100).toFixed(1)}%` }),
            element("span", {}, time(stat.total))),
        element("td", { class: "number" }, time(stat.mean)),
        element("td", { class: "number" }, time(stat.longest)))));
    $("groups-none").hidden = found.length > 0;
    $("groups-none").textContent = stats.length ? "No operation matches." : "Nothing was recorded.";
    $("groups-more").hidden = found.length <= shownGroups;
    $("groups-more").textContent = `Show ${number(Math.min(200, found.length - shownGroups))} more`;
    state.groups = found.length;
    for (const header of document.querySelectorAll("#operations th[data-sort]")) {
        const isSorted = header.dataset.sort === sortedBy;
        header.setAttribute("aria-sort", isSorted ? (isAscending ? "ascending" : "descending") : "none");
    }
}

function openGroup(stat) {
    closeFinding();
    const indexes = [];
    for (let i = 0; i < count; i++) if (events.group[i] === stat.number) indexes.push(i);
    mark(indexes);
    reveal(stat.costliest);
}

function applyFilter() {
    filter = $("filter").value.trim().toLowerCase();
    shownGroups = 50;
    page = 0;
    showGroups();
    showEvents();
    if (state.finding !== undefined) return;
    mark(null);
    if (filter) {
        const wanted = stats.map(matches), indexes = [];
        for (let i = 0; i < count; i++) if (wanted[events.group[i]]) indexes.push(i);
        mark(indexes);
    }
    redraw();
}

// The events in view that match the filter, a page at a time.
function showEvents() {
    if (!$("events-panel").open) return;
    const wanted = stats.map(matches), found = [];
    for (let i = 0; i < count && events.start[i] <= view.to; i++) {
        if (ends[i] >= view.from && wanted[events.group[i]] && (!marked || marked[i])) found.push(i);
    }
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    page = Math.min(page, pages - 1);
    $("events-count").textContent = `${quantity(found.length, "event")}, page ${page + 1} of ${number(pages)}`;
    $("events-back").disabled = page === 0;
    $("events-on").disabled = page >= pages - 1;
    $("events").replaceChildren(...found.slice(page * pageSize, (page + 1) * pageSize).map((i) => element("tr", {},
        element("td", { class: "number" }, time(events.start[i], 6)),
        element("td", {}, element("button", {
            class: "operation", type: "button", "data-event": events.id[i], onclick: () => reveal(i),
        }, swatch(categoryOf(i)), stats[events.group[i]].title)),
        element("td", { class: "condition" }, element("code", {}, short(text(events.predicate[i]) || stats[events.group[i]].condition, 120))),
        element("td", {}, text(events.context[i])),
        element("td", { class: "number" }, number(events.objects[i])),
        element("td", { class: "number" }, number(events.rows[i])),
        element("td", { class: "number" }, time(events.duration[i])))));
}

// MARK: Totals

function showTotals() {
    const totals = data.totals, faults = totals.cacheHits + totals.cacheMisses, changes = totals.changes;
    const figures = [
        ["Events", number(totals.events), data.dropped ? `${number(data.dropped)} dropped` : `in ${time(data.duration)}`],
        ["Fetches", number(totals.fetches), quantity(totals.queries, "query", "queries")],
        ["Rows", number(totals.rows), quantity(totals.statements, "statement")],
        ["Cache hits", faults ? `${(totals.cacheHits / faults * 100).toFixed(1)} %` : "–",
            `${number(totals.cacheHits)} of ${quantity(faults, "fault")}`],
        ["Cache misses", number(totals.cacheMisses),
            `${number(totals.faults)} objects, ${number(totals.relationshipFaults)} relationships`],
        ["Saves", number(totals.saves), `${number(changes.inserted + changes.updated + changes.deleted)} changes`],
        ["Time", time(totals.duration * 1000), `${time(totals.waiting * 1000)} waiting`],
    ];
    $("totals").replaceChildren(...figures.map(([name, value, more]) => element("div", { class: "figure" },
        element("dt", {}, name), element("dd", {}, value, element("small", {}, more)))));
}
