import CoreDataModelBuilding
import CoreDataModelLayouts
import Foundation
import ModelFormat

/// `modelc diff`
enum DiffCommand: ModelCommand {
    static let name = "diff"
    static let summary = "tell what changed between two models, and what it means for stores"
    static let help = """
        usage: modelc diff OLD NEW [--fail-on CLASS] [--json]
               modelc diff BUNDLE --from VERSION [--to VERSION] [--fail-on CLASS] [--json]
               modelc diff OLD NEW --dialect postgresql [--json]

        Tells in plain words what changed from one model to another, and for each change what a store of the old model
        needs in order to be opened with the new one:

          no migration     the version hash does not see it
          lightweight      Core Data infers the mapping and keeps all data, or fails where the reason says so
          needs a mapping  no mapping can be inferred: write a mapping model or a custom migration stage
          loses data       lightweight migration drops data

        The last line tells what a migration back, from NEW to OLD, would drop.

        OLD and NEW may be source models, compiled models, or SQLite stores.

          --from VERSION    the old version of a bundle
          --to VERSION      the new version of a bundle; by default the current one
          --dialect NAME    postgresql: print the SQL by which a PostgreSQL store migrates itself instead, for review, with
                            the checks that run before and the derived attributes that are computed again as comments;
                            an error if no mapping can be inferred
          --fail-on CLASS   exit with 1 from which class on: any, lightweight, mapping (the default), loss, or never
          --json            JSON instead of text

        examples:
          modelc diff "Model.xcdatamodeld/Model.xcdatamodel" "Model.xcdatamodeld/Model 2.xcdatamodel"
          modelc diff Model.xcdatamodeld --from Model --fail-on loss
          modelc diff Released.sqlite Model.xcdatamodeld --json
          modelc diff Model.xcdatamodeld --from Model --dialect postgresql

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(words, options: ["from", "to", "fail-on", "dialect"], flags: ["json"])
        let (old, new) = try versions(arguments)
        let limit = try limit(arguments["fail-on"] ?? "mapping")
        for version in [old, new] {
            if let problem = version.model.problems().first { throw version.placed(problem) }
        }
        if let dialect = arguments["dialect"] {
            guard dialect == "postgresql" else { throw UsageError("--dialect \(dialect): use postgresql") }
            guard arguments["fail-on"] == nil else { throw UsageError("--fail-on does not go with --dialect") }
            let script = try script(old, new)
            result.output = arguments.has("json") ? script.json.text + "\n" : script.text
            return
        }
        let comparison = try ModelComparison(old: old.model, new: new.model)
        result.output =
            arguments.has("json") ? json(comparison, old, new) : text(comparison, from: old.name, to: new.name)
        if let limit, comparison.changes.contains(where: { $0.effect >= limit }) { result.status = 1 }
    }

    /// Returns the SQL of the migration.
    ///
    /// - Throws: An error with all reasons if no mapping can be inferred.
    private static func script(
        _ old: ModelBundle.Version, _ new: ModelBundle.Version
    ) throws -> PostgreSQLMigrationScript {
        do {
            return try PostgreSQLMigrationScript(from: old.model, to: new.model, names: (old.name, new.name))
        } catch let error as PostgreSQLMigrationScript.Refusal {
            throw Diagnostic(
                message: "no migration from \(old.name) to \(new.name) can be inferred: "
                    + error.reasons.joined(separator: "; "), file: new.file,
                advice: "Migrate in several steps, or change the model: `modelc diff OLD NEW` tells what is needed.")
        } catch let error as StoreLayouts.TooManyEntities {
            throw Diagnostic(message: error.message, file: new.file)
        } catch let error as NSError {
            throw Diagnostic(
                message: error.localizedDescription, file: new.file,
                entity: error.userInfo["entity"] as? String, advice: error.localizedRecoverySuggestion)
        }
    }

    private static func versions(
        _ arguments: Arguments
    ) throws -> (old: ModelBundle.Version, new: ModelBundle.Version) {
        let paths = arguments.positional
        if let from = arguments["from"] {
            guard paths.count == 1 else { throw UsageError("give one BUNDLE with --from") }
            return (
                try ModelInput.version(paths[0], named: from), try ModelInput.version(paths[0], named: arguments["to"])
            )
        }
        guard arguments["to"] == nil else { throw UsageError("--to goes with --from") }
        guard paths.count == 2 else { throw UsageError("give OLD and NEW, or one BUNDLE and --from VERSION") }
        return (try ModelInput.version(paths[0], named: nil), try ModelInput.version(paths[1], named: nil))
    }

    private static func limit(_ word: String) throws -> ModelChange.Effect? {
        switch word {
        case "any": return ModelChange.Effect.none
        case "lightweight": return .lightweight
        case "mapping": return .needsMapping
        case "loss": return .losesData
        case "never": return nil
        default: throw UsageError("--fail-on \(word): use any, lightweight, mapping, loss or never")
        }
    }

    private static func summary(_ comparison: ModelComparison) -> String {
        if comparison.changes.isEmpty { return "no differences" }
        if comparison.hashesAreEqual { return "stores open as they are" }
        return comparison.effect.words
    }

    /// Returns a comparison of two versions as text.
    static func text(_ comparison: ModelComparison, from old: String, to new: String) -> String {
        var text = "\(old) -> \(new): \(summary(comparison))\n"
        let width = ModelChange.Effect.allCases.map(\.words.count).max() ?? 0
        var place: String??
        for change in comparison.changes {
            if place != .some(change.entity) {
                text += "\n\(change.entity ?? "the model")\n"
                place = .some(change.entity)
            }
            let effect = change.effect.words.padding(toLength: width, withPad: " ", startingAt: 0)
            let property = change.property.map { "\($0): " } ?? ""
            text +=
                "  \(effect)  \(property)\(change.change). \(change.reason.prefix(1).uppercased())"
                + "\(change.reason.dropFirst()).\n"
        }
        return text + direction(comparison, old, new)
    }

    /// Returns the effect of a migration in the other direction, as text.
    private static func direction(
        _ comparison: ModelComparison, _ old: String, _ new: String
    ) -> String {
        if comparison.onlyTakesAway { return "\nThe changes only take away, as a migration back does.\n" }
        guard !comparison.lossesBack.isEmpty else { return "" }
        let losses = comparison.lossesBack.joined(separator: ", ")
        return "\nBack, from \(new) to \(old), a migration drops \(losses). "
            + "A program of \(old) gets error 134130 for a store that was migrated to \(new).\n"
    }

    private static func json(
        _ comparison: ModelComparison, _ old: ModelBundle.Version, _ new: ModelBundle.Version
    ) -> String {
        JSON.object([
            ("old", .string(old.name)), ("new", .string(new.name)),
            ("effect", .string(comparison.effect.key)), ("hashesAreEqual", .bool(comparison.hashesAreEqual)),
            ("lossesBack", .array(comparison.lossesBack.map { .string($0) })),
            ("onlyTakesAway", .bool(comparison.onlyTakesAway)),
            (
                "changes",
                .array(
                    comparison.changes.map { change in
                        .object([
                            ("effect", .string(change.effect.key)), ("entity", .optional(change.entity)),
                            ("property", .optional(change.property)), ("change", .string(change.change)),
                            ("reason", .string(change.reason)),
                        ])
                    })
            ),
        ]).text + "\n"
    }
}
