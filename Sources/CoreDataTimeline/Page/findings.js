// Findings: the list at the top, and what is shown of the one that is open.

// Lines in the axis where the events of findings begin and end, and flags where they begin.
function spanOf(finding) {
    let from = Infinity, to = -Infinity;
    for (const i of finding.events) {
        from = Math.min(from, events.start[i]);
        to = Math.max(to, ends[i]);
    }
    return { from, to };
}
const findingSpans = findings.map(spanOf);

// The flags in view, side by side where findings begin together: their findings and places.
function placeFlags() {
    const visible = findingSpans.map((_, number) => number).filter((number) => {
        const { from, to } = findingSpans[number];
        return from <= to && to >= view.from && from <= view.to;
    });
    const wanted = visible.map((number) => Math.max(xOf(findingSpans[number].from), gutter));
    const places = placeMarkers(wanted, markerSize, 2, gutter, width);
    return visible.map((number, index) => ({ number, x: places[index] }));
}

function drawFindings() {
    brush.restore();
    brush.save();
    brush.beginPath();
    brush.rect(gutter - 1, 0, width - gutter + 1, height);
    brush.clip();
    const flags = placeFlags();
    for (const { number } of flags) {
        const { from, to } = findingSpans[number], isOpen = Number(state.finding) === number;
        const left = Math.max(xOf(from), gutter), right = Math.min(Math.max(xOf(to), left + 3), width);
        brush.fillStyle = colors.alarm;
        brush.globalAlpha = isOpen ? 0.07 : 0;
        brush.fillRect(left, axisHeight, right - left, height);
        brush.globalAlpha = 1;
        brush.fillRect(left, axisHeight - 3, right - left, isOpen ? 3 : 2);
    }
    brush.font = "700 10px system-ui, sans-serif";
    brush.textAlign = "center";
    for (const { number, x } of flags) {
        brush.fillStyle = colors.alarm;
        brush.strokeStyle = colors.page;
        brush.lineWidth = 1;
        brush.beginPath();
        brush.roundRect(x, numbersHeight - 2, markerSize, markerSize, 4);
        brush.fill();
        brush.stroke();
        brush.fillStyle = colors.page;
        brush.fillText(String(number + 1), x + markerSize / 2, numbersHeight - 2 + markerSize / 2 + 0.5);
    }
    brush.textAlign = "left";
    state.flags = flags.map(({ number, x }) => `${number}:${Math.round(x)}`).join(" ");
}

function openFinding(number) {
    const finding = findings[number], span = findingSpans[number];
    if (!finding) return;
    selected = -1;
    delete state.selected;
    for (const i of finding.events.slice(0, 1)) unhide(i);
    mark(finding.events.length ? finding.events : null);
    state.finding = number;
    for (const button of document.querySelectorAll(".finding")) {
        button.setAttribute("aria-pressed", String(Number(button.dataset.number) === number));
    }
    const place = finding.place && `${finding.place.file}:${finding.place.line}`;
    const costliest = [...finding.events].sort((a, b) => events.duration[b] - events.duration[a]);
    fill($("details"),
        element("h2", { tabindex: "-1" }, element("span", { class: "flag" }, String(number + 1)), "Finding"),
        element("p", { class: "message" }, finding.message),
        element("p", { class: "remedy" }, finding.remedy),
        element("div", { class: "actions" },
            element("button", { type: "button", onclick: () => select(-1) }, "Close")),
        factList([
            ...(place ? [["Place", place]] : []),
            ...(finding.place && finding.place.function ? [["Function", finding.place.function]] : []),
            ["Repetitions", finding.repetitions.toLocaleString("en")], ["Queries", finding.queries.toLocaleString("en")],
            ["Duration", time(finding.duration * 1000)],
        ]),
        eventList("Events, the longest first", costliest));
    setHash(`#finding=${number}`);
    if (span.from <= span.to) showSpan(span.from, span.to); else redraw();
}

function showFindings() {
    $("findings").hidden = false;
    $("findings-title").textContent = findings.length ? quantity(findings.length, "finding") : "No findings";
    $("finding-list").replaceChildren(...findings.map((finding, number) => element("li", {}, element("button", {
        class: "finding", type: "button", "data-number": number, "aria-pressed": "false",
        onclick: () => openFinding(number),
    }, element("span", { class: "flag" }, String(number + 1)),
    element("span", { class: "body" },
        element("span", { class: "message" }, finding.message), element("span", { class: "remedy" }, finding.remedy)),
    element("span", { class: "side" },
        finding.place ? element("span", { class: "place" },
            `${finding.place.file.split("/").pop()}:${finding.place.line}`) : null,
        element("span", { class: "faint" }, time(finding.duration * 1000)))))));
}
