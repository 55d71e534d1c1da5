// Findings: the list at the top, and what is shown of the one that is open.

// Flags in the axis where the events of findings begin and end.
function spanOf(finding) {
    let from = Infinity, to = -Infinity;
    for (const i of finding.events) {
        from = Math.min(from, events.start[i]);
        to = Math.max(to, ends[i]);
    }
    return { from, to };
}
const findingSpans = findings.map(spanOf);

function drawFindings() {
    brush.restore();
    brush.save();
    brush.beginPath();
    brush.rect(gutter - 1, 0, width - gutter + 1, height);
    brush.clip();
    findingSpans.forEach(({ from, to }, number) => {
        if (from > to || to < view.from || from > view.to) return;
        const left = Math.max(xOf(from), gutter), right = Math.min(Math.max(xOf(to), left + 3), width);
        const isOpen = Number(state.finding) === number;
        brush.fillStyle = colors.alarm;
        brush.globalAlpha = isOpen ? 0.07 : 0;
        brush.fillRect(left, axisHeight, right - left, height);
        brush.globalAlpha = 1;
        brush.fillRect(left, axisHeight - 3, right - left, isOpen ? 3 : 2);
        brush.beginPath();
        brush.roundRect(left, 3, 16, 15, 4);
        brush.fill();
        brush.fillStyle = colors.page;
        brush.font = "700 10px system-ui, sans-serif";
        brush.textAlign = "center";
        brush.fillText(String(number + 1), left + 8, 11);
        brush.textAlign = "left";
    });
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
