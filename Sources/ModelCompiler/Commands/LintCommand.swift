import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc lint`
enum LintCommand: ModelCommand {
    static let name = "lint"
    static let summary = "look a model through for what goes wrong at run time"
    static var help: String {
        let width = Linter.rules.map(\.name.count).max() ?? 0
        let rules = Linter.rules.map {
            "  " + $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + $0.summary
        }
        return """
            usage: modelc lint MODEL [--version NAME] [--all] [--disable RULE]… [--strict] [--json]

            Prints what is likely to go wrong at run time, at the line of the model, in the form compilers use.
            Exits with 1 if there are errors or warnings. MODEL may be a mapping model, too.

              --version NAME   a version of a bundle, instead of the current one
              --all            all versions of a bundle
              --disable RULE   leave a rule out; may be repeated
              --strict         exit with 1 for notes too
              --json           JSON instead of text

            rules:
            \(rules.joined(separator: "\n"))

            examples:
              modelc lint Model.xcdatamodeld
              modelc lint Model.xcdatamodeld --disable inline-binary --disable name-style --strict

            """
    }

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["version", "disable"], flags: ["json", "strict", "all"])
        let path = try arguments.one("MODEL")
        let disabled = Set(arguments.all("disable"))
        for rule in disabled where !Linter.rules.contains(where: { $0.name == rule }) {
            throw UsageError("there is no rule \(rule)")
        }
        if ModelInput.isMapping(path) { return try lintMapping(path, arguments, disabled, &result) }
        let versions =
            arguments.has("all")
            ? try ModelInput.bundle(path).versions : [try ModelInput.version(path, named: arguments["version"])]
        var all: [(version: ModelBundle.Version, finding: Finding)] = []
        for version in versions {
            let problems = version.model.problems().map {
                Finding(
                    rule: "invalid-model", severity: .error, entity: $0.entity, property: $0.property,
                    message: $0.message, advice: $0.advice)
            }
            let unknown =
                disabled.contains("unknown-attribute") ? [] : version.unknownKeys().map(Finding.init(unknownKey:))
            let findings = problems + unknown + Linter.findings(in: version.model, disabled: disabled)
            all += findings.map { (version, $0) }
        }
        print(all, path, arguments, &result)
    }

    private static func lintMapping(
        _ path: String, _ arguments: Arguments, _ disabled: Set<String>, _ result: inout CommandResult
    ) throws {
        let url = URL(fileURLWithPath: path)
        var version = ModelBundle.Version(name: url.deletingPathExtension().lastPathComponent, model: Model())
        let warnings: [ModelFormatError]
        if url.pathExtension == "cdm" {
            warnings = try MappingModel(contentsOf: url).warnings()
            version.file = path
        } else {
            let document = try MappingDocument(contentsOf: url)
            _ = try document.compiled()
            warnings = document.warnings()
            version.file = document.file
        }
        func rule(_ warning: ModelFormatError) -> String {
            warning.code == .emptyMapping ? "empty-mapping" : "unread-part"
        }
        let findings = warnings.filter { !disabled.contains(rule($0)) }.map { warning in
            var finding = Finding(
                rule: rule(warning), severity: .warning, entity: nil, property: nil, message: warning.message,
                advice: warning.advice)
            finding.line = warning.line
            return finding
        }
        print(findings.map { (version, $0) }, path, arguments, &result)
    }

    private static func print(
        _ all: [(version: ModelBundle.Version, finding: Finding)], _ path: String, _ arguments: Arguments,
        _ result: inout CommandResult
    ) {
        result.output =
            arguments.has("json")
            ? JSON.array(all.map { json($0.finding, $0.version) }).text + "\n"
            : all.map { diagnostic($0.finding, $0.version, path).description + "\n" }.joined()
        let fails = all.contains { arguments.has("strict") || $0.finding.severity != .note }
        if fails { result.status = 1 }
    }

    private static func diagnostic(_ finding: Finding, _ version: ModelBundle.Version, _ path: String) -> Diagnostic {
        Diagnostic(
            severity: finding.severity, message: "\(finding.message) [\(finding.rule)]",
            file: version.file ?? path, line: line(finding, version), entity: finding.entity,
            property: finding.property, advice: finding.advice)
    }

    private static func line(_ finding: Finding, _ version: ModelBundle.Version) -> Int? {
        finding.line ?? version.lines[finding.entity, finding.property]
    }

    private static func json(_ finding: Finding, _ version: ModelBundle.Version) -> JSON {
        .object([
            ("version", .string(version.name)), ("rule", .string(finding.rule)),
            ("severity", .string(finding.severity.rawValue)), ("entity", .optional(finding.entity)),
            ("property", .optional(finding.property)),
            ("line", line(finding, version).map { .number($0) } ?? .null),
            ("message", .string(finding.message)), ("advice", .optional(finding.advice)),
        ])
    }
}
