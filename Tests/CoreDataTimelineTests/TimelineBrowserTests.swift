import CoreData
import CoreDataRowStorage
import CoreDataTestSupport
import CoreDataTimeline
import Foundation
import Testing

@Suite(
    "Timelines in a browser", .serialized,
    .enabled(if: HeadlessBrowser.program != nil, "needs chromium, chromium-browser or google-chrome on the PATH"))
struct TimelineBrowserTests {
    @Test(arguments: [100, 100_000])
    func clickingAFindingShowsItsEvents(_ events: Int) throws {
        let recording = RecordingSample.busy(events: events).recording, page = recording.timeline()
        #expect(page.utf8.count < 15_000_000)
        let document = try HeadlessBrowser.open(
            page,
            script: """
                const whole = [Number(root.dataset.from), Number(root.dataset.to)], bars = Number(root.dataset.bars);
                document.querySelector(".finding").click();
                await frame(); await frame();
                const finding = root.dataset.finding, marked = Number(root.dataset.marked);
                const shown = [Number(root.dataset.from), Number(root.dataset.to)];
                const pressed = document.querySelector(".finding").getAttribute("aria-pressed");
                const details = document.getElementById("details").textContent;
                document.querySelector("#details button.event").click();
                await frame(); await frame();
                return { whole, bars, finding, marked, shown, pressed, details, selected: Number(root.dataset.selected),
                    title: document.querySelector("#details h2").textContent };
                """)
        #expect(document["error"] == nil && document["rendered"] == "true")
        #expect(document.number("events") == recording.events.count && document.number("tracks") == 3)
        // Milliseconds: 300 on an idle machine, and many times that where tests run beside.
        #expect(try #require(document.number("loading")) < 15_000)
        struct Results: Decodable {
            var whole: [Int], bars: Int, finding: String, marked: Int, shown: [Int], pressed: String, details: String
            var selected: Int, title: String
        }
        let results = try document.results(as: Results.self), finding = try #require(recording.findings.first)
        #expect(results.whole == [0, Int((recording.end - recording.start) / 1000)])
        // No more than the pixels there are in 15 lines.
        #expect(results.bars >= min(events, 3000) / 2 && results.bars < 15_000)
        #expect(results.finding == "0" && results.pressed == "true")
        #expect(results.details.contains(finding.message) && results.details.contains(finding.remedy))
        #expect(results.details.contains("/src/Inbox.swift:42"))
        let found = recording.events.filter { finding.eventIDs.contains($0.id) }
        let times = found.map { Int(($0.start - recording.start) / 1000) }
        #expect(try results.shown[0] <= #require(times.min()) && results.shown[1] >= #require(times.max()))
        #expect(results.shown[1] < results.whole[1] && results.marked == found.count)
        // The costliest of them comes first in the list.
        #expect(recording.events.first { $0.id == results.selected }?.duration == found.map(\.duration).max())
        #expect(results.title == "Relationship fault Author.books")
    }

    @Test func eventsAreFoundByThePointer() throws {
        let document = try HeadlessBrowser.open(
            RecordingSample.library().recording.timeline(),
            script: """
                const canvas = document.getElementById("timeline"), tip = document.getElementById("tip");
                const box = canvas.getBoundingClientRect(), tips = new Set(), places = new Map();
                const send = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, {
                    clientX: x, clientY: y, pointerId: 1, bubbles: true }));
                for (let y = box.top + 1; y < box.bottom; y += 6) {
                    for (let x = box.left + 200; x < box.right; x += 4) {
                        send("pointermove", x, y);
                        if (!tip.hidden) { tips.add(tip.textContent); places.set(tip.querySelector("strong").textContent, [x, y]); }
                    }
                }
                const [x, y] = places.get("Save ");
                send("pointerdown", x, y); send("pointerup", x, y);
                await frame();
                const details = document.getElementById("details").textContent;
                send("pointerdown", box.left + 300, y); send("pointermove", box.left + 200, y);
                send("pointerup", box.left + 200, y);
                await frame(); await frame();
                return { names: [...places.keys()].sort(), tips: [...tips].join(" "), selected: root.dataset.selected, details };
                """)
        #expect(document["error"] == nil)
        struct Results: Decodable { var names: [String], tips: String, selected: String, details: String }
        let results = try document.results(as: Results.self)
        #expect(
            results.names == [
                "3 queries for Author.books, one for each object.", "Fault Book", "Fetch Author", "Fetch Tag",
                "Relationship fault Author.books", "Save ",
            ])
        #expect(results.tips.contains(#"name != "</script>""#) && results.tips.contains("database is locked"))
        #expect(results.selected == "6" && results.details.contains("2 inserted, 1 updated"))
        #expect(results.details.contains("Consists of (1)") && results.details.contains("INSERT INTO ZBOOK VALUES(?1)"))
        #expect(!results.details.contains("null") && !results.details.contains("undefined"))
    }

    /// Three findings about one event, and one about a later one.
    @Test func findingsThatBeginTogetherAreAllSeenAndOpened() throws {
        var sample = RecordingSample.library()
        let first = sample.findings[0], save = sample.records[5].number
        sample.findings = [first, first, first].map { $0.with(events: [1]) } + [first.with(events: [save])]
        let document = try HeadlessBrowser.open(
            sample.recording.timeline(),
            script: """
                const canvas = document.getElementById("timeline"), opened = [];
                const showFlags = async () => {
                    document.getElementById("zoom-all").click();
                    await frame(); await frame();
                    return root.dataset.flags.split(" ").map((flag) => flag.split(":").map(Number));
                };
                const flags = await showFlags();
                for (const [number] of flags) {
                    // Details that were shown and closed may have moved the page and the flags.
                    const [, x] = (await showFlags()).find(([shown]) => shown === number);
                    const box = canvas.getBoundingClientRect();
                    for (const kind of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(kind, {
                        clientX: box.left + x + 8, clientY: box.top + 30, pointerId: 1, bubbles: true }));
                    opened.push(Number(root.dataset.finding));
                    document.querySelector("#details .actions button").click();
                }
                return { flags, opened };
                """)
        #expect(document["error"] == nil)
        struct Results: Decodable { var flags: [[Int]], opened: [Int] }
        let results = try document.results(as: Results.self)
        #expect(results.flags.map(\.first) == [0, 1, 2, 3] && results.opened == [0, 1, 2, 3])
        let places = results.flags.compactMap(\.last)
        #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 >= 16 })
    }

    @Test func longTitlesEndBeforeTheLineOfZero() throws {
        var sample = RecordingSample()
        for (number, name) in ["short", "Context of the import of all invoices of the last year, second part"]
            .enumerated()
        {
            sample.add(.fetch, at: 0, for: 900) {
                $0.context = ContextLabel(name: name, isMain: false, known: number + 1)
            }
        }
        let document = try HeadlessBrowser.open(
            sample.recording.timeline(),
            script: """
                // By text: the page may be drawn more than once.
                const texts = new Map(), plain = CanvasRenderingContext2D.prototype.fillText;
                CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
                    if (x === 10) texts.set(text, { text, end: x + this.measureText(text).width });
                    plain.call(this, text, x, ...rest);
                };
                document.getElementById("zoom-in").click();
                await frame(); await frame();
                const canvas = document.getElementById("timeline"), box = canvas.getBoundingClientRect(), tips = new Set();
                for (let y = 1; y < box.height; y += 6) {
                    canvas.dispatchEvent(new PointerEvent("pointermove", {
                        clientX: box.left + 40, clientY: box.top + y, pointerId: 1, bubbles: true }));
                    const tip = document.getElementById("tip");
                    if (!tip.hidden) tips.add(tip.textContent);
                }
                return { texts: [...texts.values()], tips: [...tips] };
                """)
        #expect(document["error"] == nil)
        struct Text: Decodable { var text: String, end: Double }
        struct Results: Decodable { var texts: [Text], tips: [String] }
        let results = try document.results(as: Results.self)
        #expect(results.texts.count == 3 && results.texts.allSatisfy { $0.end <= 170 })
        #expect(results.texts.first?.text == "short" && results.texts[1].text.hasPrefix("Context of"))
        #expect(results.texts[2].text.contains("…") && results.texts[2].text.hasSuffix("part"))
        // The pointer shows the whole name.
        #expect(results.tips == ["short", "Context of the import of all invoices of the last year, second part"])
    }

    @Test func aLinkOpensAnEvent() throws {
        let document = try HeadlessBrowser.open(RecordingSample.library().recording.timeline(), fragment: "event=1")
        #expect(document["error"] == nil && document["selected"] == "1" && document["finding"] == nil)
        // Its query plan, limit and order are in the details.
        #expect(document.html.contains("SCAN t0") && document.html.contains("name descending"))
    }

    @Test func keysZoomAndTablesSortAndFilter() throws {
        let document = try HeadlessBrowser.open(
            RecordingSample.library().recording.timeline(),
            script: """
                const canvas = document.getElementById("timeline"), views = [];
                for (const key of ["+", "ArrowRight", "-", "0"]) {
                    canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                    await frame(); await frame();
                    views.push([Number(root.dataset.from), Number(root.dataset.to)]);
                }
                const names = () => [...document.querySelectorAll("#groups button")].map((button) => button.textContent);
                const byTotal = names();
                document.querySelector("th[data-sort=count] button").click();
                const byCount = names();
                const filter = document.getElementById("filter");
                filter.value = "tag";
                filter.dispatchEvent(new Event("input"));
                const filtered = names();
                document.getElementById("events-panel").open = true;
                await new Promise((resolve) => setTimeout(resolve, 300));
                const rows = document.querySelectorAll("#events tr").length;
                const nameless = [...document.querySelectorAll("button, input, canvas")].filter((control) =>
                    !(control.textContent.trim() || control.getAttribute("aria-label"))).map((control) => control.outerHTML);
                return { views, byTotal, byCount, filtered, rows, nameless };
                """)
        #expect(document["error"] == nil)
        struct Results: Decodable {
            var views: [[Int]], byTotal: [String], byCount: [String], filtered: [String], rows: Int, nameless: [String]
        }
        let results = try document.results(as: Results.self)
        // 60 % of the time in the middle, 15 % of these further, and back.
        #expect(results.views == [[2000, 8000], [2900, 8900], [0, 10_000], [0, 10_000]])
        #expect(
            results.byTotal == ["Save", "Fetch Author", "Relationship fault Author.books", "Fetch Tag", "Fault Book"])
        #expect(results.byCount.first == "Relationship fault Author.books" && results.byCount.count == 5)
        #expect(results.filtered == ["Fetch Tag"] && results.rows == 1 && results.nameless.isEmpty)
    }

    @Test func anEmptyRecordingIsAPageToo() throws {
        let document = try HeadlessBrowser.open(RecordingSample().recording.timeline())
        #expect(document["error"] == nil && document["rendered"] == "true" && document.number("bars") == 0)
        #expect(document.html.contains("Nothing was recorded."))
    }
}
