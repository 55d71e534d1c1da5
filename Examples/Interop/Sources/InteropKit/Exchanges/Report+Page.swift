extension Report {
    /// The report as a self-contained HTML page.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Interop: \(passed ? "as expected" : "different")</title>
        <style>\(Self.style)</style>
        <h1>Stores of Linux over \(Self.escaped(framework))</h1>
        <p>\(Self.escaped(system)); cases of edition \(Self.escaped(edition)).</p>
        \(summary)
        \(items.map(Self.section).joined(separator: "\n"))
        </html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
        body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
        pre { overflow-x: auto; font-size: 0.85rem; }
        .good { color: #2a8a3e; }
        .bad { color: #d0342c; }
        """

    private var summary: String {
        if let running {
            return "<p class=\"bad\">The program is at, or ended at: \(Self.escaped(running)).</p>"
        }
        return passed
            ? "<p class=\"good\">Everything is as expected.</p>" : "<p class=\"bad\">There are differences.</p>"
    }

    private static func section(_ item: Item) -> String {
        let body =
            item.skipped.map { "<p>Skipped: \(escaped($0)).</p>" } ?? item.stages.map(part).joined(separator: "\n")
        return "<h2>\(escaped(item.name))</h2>\n<p>\(escaped(item.title))</p>\n\(body)"
    }

    private static func part(_ stage: Stage) -> String {
        var text = "<h3>\(escaped(stage.name)): \(verdict(stage))</h3>\n"
        if let error = stage.error { text += "<pre class=\"bad\">\(escaped(error))</pre>\n" }
        if !stage.differences.isEmpty { text += "<pre class=\"bad\">\(escaped(stage.differences))</pre>\n" }
        let values = "<pre>\(escaped(stage.values))</pre>"
        return text + "<details><summary>\(stage.values.count) lines</summary>\(values)</details>"
    }

    private static func verdict(_ stage: Stage) -> String {
        stage.passed ? "<span class=\"good\">as expected</span>" : "<span class=\"bad\">different</span>"
    }

    private static func escaped(_ lines: [String]) -> String { escaped(lines.joined(separator: "\n")) }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
