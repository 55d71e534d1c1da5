// The legend, whose buttons hide rows, and the start.
function unhide(i) {
    const category = categoryOf(i);
    if (!hidden.delete(category)) return;
    showLegend();
    placeRows();
    resize();
}

function showLegend() {
    const used = new Set(tracks.flatMap((track) => track.rows.map((row) => row.category)));
    $("legend").replaceChildren(...categories.map((_, category) => category).filter((category) => used.has(category))
        .map((category) => element("button", {
            type: "button", class: "toggle", "aria-pressed": String(!hidden.has(category)),
            onclick: () => {
                if (!hidden.delete(category)) hidden.add(category);
                showLegend();
                placeRows();
                resize();
            },
        }, swatch(category), categoryNames[categories[category]])));
}

function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("finding")) openFinding(Number(wanted.get("finding")));
    else if (wanted.has("event")) {
        const index = indexOfID.get(Number(wanted.get("event")));
        if (index !== undefined) reveal(index);
    }
}

for (const [id, action] of [
    ["zoom-in", () => zoom(0.6)], ["zoom-out", () => zoom(1 / 0.6)], ["zoom-all", showAll],
    ["groups-more", () => { shownGroups += 200; showGroups(); }],
    ["events-back", () => { page--; showEvents(); }], ["events-on", () => { page++; showEvents(); }],
]) $(id).addEventListener("click", action);
$("filter").addEventListener("input", applyFilter);
$("events-panel").addEventListener("toggle", showEvents);
for (const header of document.querySelectorAll("#operations th[data-sort]")) {
    header.querySelector("button").addEventListener("click", () => {
        const column = header.dataset.sort;
        isAscending = sortedBy === column ? !isAscending : column === "title";
        sortedBy = column;
        showGroups();
    });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColors();
    redraw();
});
addEventListener("hashchange", follow);
new ResizeObserver(resize).observe($("stage"));

state.events = count;
state.tracks = tracks.length;
readColors();
showTotals();
showFindings();
showLegend();
showNothing();
showGroups();
placeRows();
$("empty").hidden = count > 0;
canvas.setAttribute("aria-label",
    `Timeline of ${quantity(count, "event")} in ${quantity(tracks.length, "context")}; the tables below list them`);
resize();
showAll();
draw();
follow();
state.loading = Math.round(performance.now() - loadStart);
state.rendered = "true";
