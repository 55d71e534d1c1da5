import Foundation
import Testing

/// Opens pages in Chromium without a window, and returns the attributes that scripts have given the document.
enum HeadlessBrowser {
    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["chromium", "chromium-browser", "google-chrome"].lazy
            .flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { access($0, X_OK) == 0 }
    }()

    /// - Parameters:
    ///   - page: the page's HTML.
    ///   - fragment: what follows `#` in its URL.
    ///   - script: runs after the page's own scripts; the body of an asynchronous function. Its result becomes `results`.
    static func open(_ page: String, fragment: String = "", script: String = "") throws -> Document {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("page.html")
        // Under virtual time Chromium may end before it draws a frame; timers always run.
        let before = """
            <script>
            onerror = (text) => { document.documentElement.dataset.error = text; };
            requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 5);
            </script>
            """
        let added = """
            <script>
            const root = document.documentElement, frame = () => new Promise(requestAnimationFrame);
            (async () => { \(script) })().then(
                (results) => { root.dataset.results = JSON.stringify(results ?? null); },
                (error) => { root.dataset.error = String(error); });
            </script>
            """
        try page.replacingOccurrences(of: "<head>", with: "<head>" + before)
            .replacingOccurrences(of: "</body>", with: added + "</body>")
            .write(to: file, atomically: true, encoding: .utf8)
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "timeout", "60", try #require(program), "--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--window-size=1400,900", "--user-data-dir=\(folder.path)/profile",
            "--virtual-time-budget=5000", "--dump-dom", file.absoluteString + (fragment.isEmpty ? "" : "#" + fragment),
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return try Document(text)
    }

    /// The document as it is when its scripts have run.
    struct Document {
        let html: String
        private var attributes: [String: String] = [:]

        init(_ html: String) throws {
            self.html = html
            let start = try #require(html.range(of: "<html "), "The browser returned no document: \(html)")
            let end = try #require(html.range(of: ">", range: start.upperBound..<html.endIndex))
            var rest = html[start.upperBound..<end.lowerBound]
            while let equals = rest.range(of: "=\"") {
                let name = rest[..<equals.lowerBound].trimmingCharacters(in: .whitespaces)
                let close = try #require(rest.range(of: "\"", range: equals.upperBound..<rest.endIndex))
                attributes[name] = rest[equals.upperBound..<close.lowerBound]
                    .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&lt;", with: "<")
                    .replacingOccurrences(of: "&gt;", with: ">").replacingOccurrences(of: "&amp;", with: "&")
                rest = rest[close.upperBound...]
            }
        }

        /// The attribute `data-NAME`.
        subscript(name: String) -> String? { attributes["data-" + name] }
        func number(_ name: String) -> Int? { self[name].flatMap(Int.init) }

        /// What the added script returned.
        func results<Value: Decodable>(as type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(#require(self["results"]).utf8))
        }
    }
}
