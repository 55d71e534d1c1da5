import Foundation
import Testing

@testable import CoreDataTimeline

/// The files that the page is made of, each as what it is.
@Suite("Files of the page")
struct PageFileTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/CoreDataTimeline/Page").standardizedFileURL

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    static let scripts =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".js") }
        .sorted()

    private let page = TimelinePage(title: "")

    @Test func everyFileIsPartOfThePage() throws {
        #expect(Self.scripts.count > 8)
        for script in Self.scripts { #expect(try page.tail.contains(Self.text(script)), "\(script)") }
        #expect(try page.head.contains(Self.text("style.css")))
        #expect(!page.head.contains("{{") && !page.tail.contains("{{"))
    }

    @Test(
        .enabled(if: JavaScriptEngine.program != nil, "needs node on the PATH"), arguments: scripts)
    func scriptsAreJavaScript(_ script: String) throws {
        let result = try JavaScriptEngine.run(["--check", Self.folder.appendingPathComponent(script).path])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func elementsNest() throws {
        let page = try Self.text("page.html"), empty: Set = ["meta", "input"]
        var open: [Substring] = []
        for tag in page.matches(of: /<(\/?)([a-z0-9]+)(\s[^>]*)?>/) {
            if tag.1 == "/" {
                #expect(open.popLast() == tag.2)
            } else if !empty.contains(String(tag.2)) {
                open.append(tag.2)
            }
        }
        #expect(open.isEmpty)
        let ids = page.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count && ids.count > 20)
        // Labels are elements of the page.
        for label in page.matches(of: /aria-labelledby="([^"]*)"/) { #expect(ids.contains(String(label.1))) }
    }

    @Test(arguments: scripts)
    func elementsThatScriptsAskForAreThere(_ script: String) throws {
        let page = try Self.text("page.html")
        for id in try Self.text(script).matches(of: /\$\("([^"]+)"\)/) {
            #expect(page.contains(#"id="\#(id.1)""#), "\(id.1)")
        }
    }

    @Test func colorsAreDeclaredForLightAndDark() throws {
        let style = try Self.text("style.css")
        #expect(style.filter { $0 == "{" }.count == style.filter { $0 == "}" }.count)
        let light = try #require(style.firstRange(of: ":root {")), dark = try #require(style.firstRange(of: "@media"))
        func declared(_ text: Substring) -> Set<Substring> {
            Set(text.prefix { $0 != "}" }.matches(of: /--([a-z-]+):/).map(\.1))
        }
        let names = declared(style[light.upperBound...])
        #expect(names == declared(style[dark.upperBound...]))
        for use in style.matches(of: /var\(--([a-z-]+)\)/) { #expect(names.contains(use.1), "\(use.1)") }
    }
}
