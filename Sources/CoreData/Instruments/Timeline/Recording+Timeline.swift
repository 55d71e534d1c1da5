extension Instruments.Recording {
    /// Returns a page that shows the recording on a timeline, with a track for each context, the findings, the operations by
    /// cost, and all that is known of each event.
    ///
    /// The page is one file that loads nothing. `#finding=0` at the end of its URL opens the first finding, and `#event=12` the
    /// event of this ID. May be called on any thread. Predicates and IDs of the program's data are part of the page.
    ///
    /// - Parameter title: the heading.
    public func timeline(title: String = "Core Data recording") -> String {
        var json = JSONWriter(capacity: 4096 + events.count * 80)
        var data = TimelineData(self)
        data.write(to: &json)
        let page = TimelinePage.frame(title)
        return page.head + String(decoding: json.bytes, as: UTF8.self) + page.tail
    }

    /// Writes the page that ``timeline(title:)`` returns.
    func writeTimeline(title: String = "Core Data recording", to output: RecordingOutput) {
        let page = TimelinePage.frame(title)
        output.write(page.head)
        var json = JSONWriter(to: output)
        var data = TimelineData(self)
        data.write(to: &json)
        json.finish()
        output.write(page.tail)
    }
}

/// The parts of a page that shows a recording.
enum TimelinePage {
    /// What comes before the data in a page, and after it.
    static func frame(_ title: String) -> (head: String, tail: String) {
        let heading = escape(title)
        let head = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(heading)</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            \(markup.replacingOccurrences(of: "{{title}}", with: heading))
            <script type="application/json" id="data">
            """
        let tail = """
            </script>
            <script>
            "use strict";
            (() => {
            \(script)
            })();
            </script>
            </body>
            </html>

            """
        return (head, tail)
    }

    /// The program, whose parts share one scope.
    static var script: String {
        [
            dataScript, tracksScript, drawingScript, findingsScript, overviewScript, viewScript, detailsScript,
            tablesScript, startScript,
        ].joined(separator: "\n")
    }

    /// Text for HTML.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
