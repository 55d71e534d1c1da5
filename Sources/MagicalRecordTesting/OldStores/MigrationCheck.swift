import Dispatch
import Foundation
import MagicalRecord

/// Migrates copies of old stores and compares their content before and after.
struct MigrationCheck {
    private let model: NSManagedObjectModel
    private let versions: KnownVersions
    private let migration: MagicalRecord.Migration
    private let configuration: String?
    private let options: [String: Any]
    private let allowed: Set<String>
    /// The allowed names that no version has had so far, sorted.
    var unknownNames: [String] { unknown.sorted() }
    private var unknown: Set<String>

    init(
        to source: MagicalRecord.ModelSource, _ migration: MagicalRecord.Migration, configuration: String?,
        options: [String: Any], allowing allowed: Set<String>
    ) throws {
        model = try source.load()
        guard !model.entities.isEmpty else {
            throw MagicalRecordError(
                .modelNotFound, "The current model has no entities.", advice: "Pass the program's model.")
        }
        versions = try KnownVersions(of: source, current: model, migration)
        (self.migration, self.configuration, self.options) = (migration, configuration, options)
        self.allowed = allowed
        unknown = allowed.subtracting(Self.names(in: model))
    }

    private static func names(in model: NSManagedObjectModel) -> Set<String> {
        Set(
            model.entitiesByName.flatMap { name, entity in
                [name] + entity.propertiesByName.keys.map { "\(name).\($0)" }
            })
    }

    /// Checks the store at a path in the folder.
    mutating func outcome(of path: String, in folder: URL) -> MigrationOutcome {
        var outcome = MigrationOutcome(store: path)
        let url = folder.appendingPathComponent(path)
        do {
            // Not in memory: stores may be large.
            let place = try TestFolder(in: FileManager.default.temporaryDirectory)
            defer { place.remove() }
            do {
                let copy = try StoreFailure.during("It cannot be copied") {
                    try StoreFolder.copy(url, to: place.url)
                }
                try check(copy, &outcome)
            } catch {
                // The copy no longer exists when the text is read.
                let original = url.deletingLastPathComponent().path
                outcome.failures.append(
                    StoreFailure.text(of: error).replacingOccurrences(of: place.url.path, with: original))
            }
        } catch {
            outcome.failures.append(StoreFailure.text(of: error))
        }
        return outcome
    }

    private mutating func check(_ url: URL, _ outcome: inout MigrationOutcome) throws {
        let header = try StoreFailure.during("It is not a store") { try StoreHeader(of: url) }
        guard let found = versions.model(ofStoreWith: header.metadata, configuration: configuration) else {
            throw MagicalRecordError(
                .modelNotFound,
                "No known version of the model wrote it (entities \(header.entities.joined(separator: ", "))).",
                advice: "Keep every version that was ever released in the .xcdatamodeld.")
        }
        outcome.version = version(of: found.model)
        unknown.subtract(Self.names(in: found.model))
        let (old, new) = (try found.model.withPlainObjects(), try model.withPlainObjects())
        let before = try StoreFailure.during("It cannot be read with its version of the model") {
            try snapshot(of: url, header.type, old, found.configuration)
        }
        let start = DispatchTime.now().uptimeNanoseconds
        try StoreFailure.during("It cannot be opened with the current model") {
            let store = MagicalRecord.Store(
                type: header.type, location: .url(url), configuration: configuration, options: options)
            let stack = try MagicalRecord.Stack([store], shape: .server, migration: migration, model: .model(model))
            outcome.seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            try stack.tearDownAndWait()
        }
        let after = try StoreFailure.during("It cannot be read after the migration") {
            try snapshot(of: url, header.type, new, configuration)
        }
        let pairing = VersionPairing(through: versions.versions(from: found.model, to: model))
        let comparison = SnapshotComparison(before, after, pairing, allowing: allowed)
        outcome.entities = comparison.entities
        outcome.losses = comparison.losses
        outcome.failures = comparison.failures
    }

    private func snapshot(
        of url: URL, _ type: String, _ model: NSManagedObjectModel, _ configuration: String?
    ) throws -> StoreSnapshot {
        let reader = MigrationCensus(url: url, type: type, model: model, configuration: configuration, options: options)
        return try reader.open { try StoreSnapshot($0, model, configuration: configuration) }
    }

    private func version(of model: NSManagedObjectModel) -> String {
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.filter { !$0.isEmpty }.sorted()
        let position = versions.position(of: model).map { "\($0)" }
        let name = identifiers.isEmpty ? nil : identifiers.joined(separator: ", ")
        switch (position, name) {
        case (let position?, let name?): return "\(position) (\(name))"
        default: return position ?? name ?? "known"
        }
    }
}

/// Errors of old stores as text.
enum StoreFailure {
    /// Runs `body`, and puts `work` before the text of its error.
    static func during<Value>(_ work: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            throw MagicalRecordError(.storeFile, "\(work): \(text(of: error))", underlying: nil)
        }
    }

    /// Returns the description, reason and advice of an error.
    static func text(of error: any Error) -> String {
        if let error = error as? MagicalRecordError { return error.description }
        let error = error as NSError
        let parts = [
            error.localizedDescription, error.localizedFailureReason, error.localizedRecoverySuggestion,
        ].compactMap(\.self)
        return parts.reduce("") { text, part in
            text.contains(part) ? text : text.isEmpty ? part : "\(text) \(part)"
        }
    }
}
