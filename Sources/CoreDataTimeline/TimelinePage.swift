import CoreData
import Foundation

/// The page for a recording, without the recording's data.
struct TimelinePage {
    /// The parts of the page before and after the data.
    let head: String, tail: String

    init(of recording: Instruments.Recording, piece: String?) {
        let program = ProcessInfo.processInfo.processName
        self.init(title: (piece ?? Self.work(in: recording)).map { "\(program): \($0)" } ?? program)
    }

    init(title: String) {
        let text = Self.fill(
            Self.text(PackageResources.page_html),
            [
                "title": Self.escape(title), "style": Self.text(PackageResources.style_css),
                "script": Self.scripts.map(Self.text).joined(separator: "\n"),
            ])
        (head, tail) = (text[0], text[1])
    }

    /// The scripts of the page, which share one scope, in order.
    private static let scripts = [
        PackageResources.layout_js, PackageResources.data_js, PackageResources.tracks_js, PackageResources.drawing_js,
        PackageResources.findings_js, PackageResources.overview_js, PackageResources.view_js,
        PackageResources.details_js, PackageResources.tables_js, PackageResources.start_js,
    ]

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }

    /// Replaces each `{{name}}` by a value, and divides the text at names without one.
    private static func fill(_ template: String, _ values: [String: String]) -> [String] {
        var texts = [""]
        var parts = template.components(separatedBy: "{{")
        texts[0] = parts.removeFirst()
        for part in parts {
            let halves = part.components(separatedBy: "}}")
            if let value = values[halves[0]] { texts[texts.count - 1] += value } else { texts.append("") }
            texts[texts.count - 1] += halves[1]
        }
        return texts
    }

    /// Returns the names of the outermost work; nil if the program has named none.
    private static func work(in recording: Instruments.Recording) -> String? {
        var names: [String] = []
        for event in recording.events(of: .work) where event.parentID == nil {
            if let name = event.keyPath, !names.contains(name) { names.append(name) }
            if names.count > 3 { break }
        }
        guard !names.isEmpty else { return nil }
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " …" : "")
    }

    /// Returns text escaped for HTML.
    private static func escape(_ text: String) -> String {
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
