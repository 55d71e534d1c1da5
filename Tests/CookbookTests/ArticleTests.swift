import Foundation
import Testing

/// What the documentation shows is what this target compiles.
@Suite struct ArticleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The articles, and the file people see first.
    static let articles: [String] = {
        let modules = [
            "MagicalRecord", "MagicalRecordTesting", "CoreData", "PredicateFormat", "ModelFormat", "StoreTools",
        ]
        let folders = modules.map { "Sources/\($0)/\($0).docc" }
        let articles = folders.flatMap { folder in
            let path = root.appendingPathComponent(folder).path
            return ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).map { "\(folder)/\($0)" }
        }
        // The tutorial is a program of its own, told step by step.
        let others = ["Tutorial.md"].map { "\(folders[0])/\($0)" }
        return articles.filter { $0.hasSuffix(".md") && !others.contains($0) }.sorted() + ["README.md"]
    }()

    private static func text(of article: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(article), encoding: .utf8)
    }

    /// The lines of code between the marks, without their common indentation.
    static let compiled: [[String]] = {
        // The server is a package of its own, which needs others.
        let folders = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent(),
            root.appendingPathComponent("Examples/LoanServer/Sources"),
        ]
        let files = folders.flatMap { folder in
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
                ?? [])
                .filter { $0.pathExtension == "swift" && $0.lastPathComponent != "ArticleTests.swift" }
        }
        var snippets: [[String]] = []
        for file in files {
            var lines: [String]?
            for line in ((try? String(contentsOf: file, encoding: .utf8)) ?? "").components(separatedBy: "\n") {
                switch line.trimmingCharacters(in: .whitespaces) {
                case "// snippet": lines = []
                case "// end":
                    snippets.append(plain(lines ?? []))
                    lines = nil
                default: lines?.append(line)
                }
            }
        }
        return snippets
    }()

    /// Without the common indentation, and with one blank wherever there are several behind it.
    private static func plain(_ lines: [String]) -> [String] {
        let indents = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }
        let common = indents.min() ?? 0
        return lines.map { line in
            let inner = line.dropFirst(min(common, line.prefix { $0 == " " }.count))
            let indent = inner.prefix { $0 == " " }
            let words = inner.split(separator: " ", omittingEmptySubsequences: true)
            return words.isEmpty ? "" : indent + words.joined(separator: " ")
        }
    }

    /// The paragraphs of all blocks marked as Swift. Blocks about the package manifest are compiled by SwiftPM alone.
    private static func paragraphs(of text: String) -> [[String]] {
        var paragraphs: [[String]] = []
        for part in text.components(separatedBy: "```swift\n").dropFirst() {
            guard let end = part.range(of: "\n```") else { continue }
            let block = plain(part[..<end.lowerBound].components(separatedBy: "\n"))
            guard block.first?.contains("Package.swift") != true else { continue }
            paragraphs += block.split(separator: "").map(Array.init)
        }
        return paragraphs
    }

    @Test(arguments: articles) func everySnippetIsCompiled(_ article: String) throws {
        for paragraph in Self.paragraphs(of: try Self.text(of: article)) {
            let isCompiled = Self.compiled.contains { snippet in
                snippet.indices.contains { snippet[$0...].starts(with: paragraph) }
            }
            #expect(isCompiled, "\(article) shows what is not compiled:\n\(paragraph.joined(separator: "\n"))")
        }
    }

    @Test(arguments: articles) func everyComparisonIsCompiled(_ article: String) throws {
        let compiled = Self.compiled.map(ArticleTables.condensed)
        for code in ArticleTables.code(in: try Self.text(of: article)) {
            let wanted = ArticleTables.condensed([code])
            #expect(compiled.contains { $0.contains(wanted) }, "\(article) shows what is not compiled: \(code)")
        }
    }

    @Test func thereIsSomethingToCompare() throws {
        #expect(Self.articles.count > 8)
        #expect(Self.compiled.count > 30)
        #expect(try Self.articles.map { Self.paragraphs(of: try Self.text(of: $0)).count }.reduce(0, +) > 30)
        #expect(try Self.articles.flatMap { ArticleTables.code(in: try Self.text(of: $0)) }.count > 150)
    }
}
