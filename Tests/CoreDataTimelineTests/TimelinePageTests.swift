import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreDataTimeline

@Suite("Pages of recordings")
struct TimelinePageTests {
    @Test func aPageLoadsNothing() {
        let page = RecordingSample.library().recording.timeline(of: "Inbox </title> & more")
        for text in ["http:", "https:", "src=", "url(", "<link", "@import", "import(", "fetch("] {
            #expect(!page.contains(text), "\(text)")
        }
        // Those of the data and of the program: predicates with this text have not ended the data.
        #expect(page.components(separatedBy: "</script>").count == 3)
    }

    @Test func theHeadingNamesTheProgramAndThePiece() {
        let program = ProcessInfo.processInfo.processName
        let page = RecordingSample.library().recording.timeline(of: "Inbox </title> & {{style}}")
        #expect(page.contains("<title>\(program): Inbox &lt;/title&gt; &amp; {{style}}</title>"))
        #expect(page.contains("<h1>\(program): Inbox &lt;/title&gt; &amp; {{style}}</h1>"))
    }

    @Test func withoutAPieceTheHeadingNamesTheWork() {
        let program = ProcessInfo.processInfo.processName
        func heading(_ names: String...) -> String? {
            var sample = RecordingSample()
            for (number, name) in names.enumerated() {
                let work = sample.add(.work, at: number * 100, for: 90) { $0.keyPath = name }
                sample.add(.work, at: number * 100 + 10, for: 10, parent: work) { $0.keyPath = "within" }
            }
            return sample.recording.timeline().firstMatch(of: /<h1>(.*)<\/h1>/).map { String($0.1) }
        }
        #expect(heading() == program)
        #expect(heading("GET /friends", "GET /friends") == "\(program): GET /friends")
        #expect(heading("a", "b", "c") == "\(program): a, b, c")
        #expect(heading("a", "b", "c", "d") == "\(program): a, b, c …")
    }

    @Test func aFileHasThePage() throws {
        let recording = RecordingSample.library().recording
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Timeline-\(UUID().uuidString).html")
        defer { try? FileManager.default.removeItem(at: file) }
        try recording.writeTimeline(of: "inbox", to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == recording.timeline(of: "inbox"))
        let missing = file.appendingPathComponent("page.html")
        let thrown = #expect(throws: CocoaError.self) { try recording.writeTimeline(to: missing) }
        #expect(thrown?.filePath == missing.path)
    }

    /// Memory is the process's, so the test is a process of its own.
    @Test func writingTakesLittleMemory() async {
        await #expect(processExitsWith: .success) {
            let recording = RecordingSample.busy(events: 10_000).recording
            try recording.writeTimeline(to: URL(fileURLWithPath: "/dev/null"))
            try MemoryUse.forgetPeak()
            let before = try MemoryUse.resident
            try recording.writeTimeline(to: URL(fileURLWithPath: "/dev/null"))
            let more = try MemoryUse.peak - before
            if more > 1_500_000 { fatalError("\(more) bytes more while a page of 10,000 events is written") }
        }
    }
}
