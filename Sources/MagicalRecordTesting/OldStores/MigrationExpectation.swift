import Foundation
import MagicalRecord
import Testing

/// Expects that every store in a folder migrates to the current model without losing data: a test of the stores that earlier
/// releases of a program wrote.
///
/// ```swift
/// @Test func oldStoresMigrate() {
///     expectMigration(of: oldStores, to: .named("Tasks", in: .module))
/// }
/// ```
/// Each file in the folder and its subfolders is expected to be a SQLite, binary or XML store, except hidden files and those that
/// belong to a store: logs and the folder of external data. Every store is copied and the copy read with the version of the
/// model that wrote it, opened as `MagicalRecord.setUp` opens it, closed, and read again. The folder is never written to.
///
/// An issue is recorded for every finding, beginning with the store's path in the folder: objects of an entity lost or added,
/// values of an attribute lost, values that are now in other objects, links of a relationship lost, the order of links changed;
/// a file that is not a store, a store that no known version of the model has written, that cannot be read or migrated; a folder
/// that is missing or without stores.
///
/// Entities and properties correspond by their names and renaming identifiers, version by version if the model's file or
/// `.through` gives the versions. Objects of removed entities, and values and links of removed properties, are listed in the
/// result and are not issues; objects of an entity that became abstract are. Transient and derived attributes are not compared.
/// Values are compared with `==`, as text if the attribute's type changed; NaN is equal to NaN. A nil that became a value is not
/// an issue.
///
/// All values of a store, before and after, are in memory at once. Blocks the thread until the last store is read.
///
/// - Parameters:
///   - folder: the folder of the old stores.
///   - model: the source of the current model; by default all models of the main bundle, as in `MagicalRecord.setUp`.
///   - migration: the migration policy, as in `MagicalRecord.setUp`; the versions of `.through` are also searched for those of
///     the stores.
///   - configuration: the configuration of the model with which the program opens the stores.
///   - options: the store options of the program.
///   - names: entities, `"Draft"`, and properties, `"User.name"`, that are allowed to differ, as a mapping model intends. Their
///     differences are listed in the result. Names of the old and the current version apply. An entity's name includes its
///     properties. A name that no version has is an issue.
///   - sourceLocation: the location of the issues.
/// - Returns: the results of each store; prints as a table.
@discardableResult
public func expectMigration(
    of folder: URL, to model: MagicalRecord.ModelSource = .merged, migration: MagicalRecord.Migration = .automatic,
    configuration: String? = nil, options: [String: Any] = [:], allowing names: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
) -> MigrationOutcomes {
    var outcomes = MigrationOutcomes()
    do {
        let paths = try StoreFolder(folder).paths()
        var check = try MigrationCheck(
            to: model, migration, configuration: configuration, options: options, allowing: names)
        for path in paths { outcomes.stores.append(check.outcome(of: path, in: folder)) }
        outcomes.errors += check.unknownNames.map { name in
            "\(name), which is allowed to differ, is in no version of the model."
        }
    } catch {
        outcomes.errors.append(StoreFailure.text(of: error))
    }
    for failure in outcomes.failures { Issue.record("\(failure)", sourceLocation: sourceLocation) }
    return outcomes
}
