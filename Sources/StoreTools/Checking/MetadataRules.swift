import Foundation
import ModelFormat

/// The store's metadata and its cached model.
struct MetadataRules {
    private let check: CheckRun

    init(_ check: CheckRun) { self.check = check }

    /// The version of Apple's framework from which on stores have a cached model.
    private static let cachingVersion = 637

    func run() throws {
        guard check.facts.hasTable("Z_METADATA") else { return }
        try rows()
        guard let description = check.description else { return }
        if !check.isDamaged("Z_METADATA") { try contents(description) }
        try model(description)
    }

    private func add(
        _ rule: StoreFinding.Rule, _ table: String, _ message: String, cause: String? = nil,
        _ remedy: StoreFinding.Remedy = .mended, entity: String? = nil
    ) {
        check.add(StoreFinding(rule, table: table, entity: entity, message, cause: cause, remedy: remedy))
    }

    private func rows() throws {
        try check.reading("Z_METADATA") {
            let count = try check.database.integer("SELECT count(*) FROM Z_METADATA") ?? 0
            if count == 0 {
                add(.metadata, "Z_METADATA", "The table Z_METADATA is empty.", .mendedWithLoss)
            } else if count > 1 {
                add(.metadata, "Z_METADATA", "The table Z_METADATA has \(count) rows instead of one.")
            }
            guard count > 0 else { return }
            let identifier = try check.database.text("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
            if identifier.flatMap({ UUID(uuidString: $0) }) == nil {
                add(.metadata, "Z_METADATA", "The identifier of the store is no UUID.", .mendedWithLoss)
            }
        }
    }

    private func contents(_ description: StoreDescription) throws {
        let metadata = description.metadata
        guard !metadata.isEmpty else {
            if try check.database.integer("SELECT count(*) FROM Z_METADATA") ?? 0 > 0 {
                add(.metadata, "Z_METADATA", "The property list of the metadata cannot be read.", .mendedWithLoss)
            }
            return
        }
        let stored = description.versionHashes
        if stored.isEmpty {
            add(.metadata, "Z_METADATA", "The metadata have no version hashes of the entities.")
            return
        }
        if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String,
            digest != Model.versionHashesDigest(stored)
        {
            add(.metadata, "Z_METADATA", "The digest of the version hashes does not fit the hashes.")
        }
        if let checksum = metadata["NSStoreModelVersionChecksumKey"] as? String,
            checksum != Model.versionChecksum(stored)
        {
            add(.metadata, "Z_METADATA", "The checksum of the version hashes does not fit the hashes.")
        }
        guard let model = check.model, let hashes = try? model.versionHashes() else { return }
        let names = Set(hashes.keys).union(stored.keys).sorted()
        for name in names where hashes[name] != stored[name] {
            let message =
                stored[name] == nil
                ? "The metadata have no version hash of the entity."
                : hashes[name] == nil
                    ? "The metadata have the version hash of an entity that the model lacks."
                    : "The version hash of the entity in the metadata is not that of the model."
            add(.metadata, "Z_METADATA", message, entity: name)
        }
    }

    private func model(_ description: StoreDescription) throws {
        guard description.model == nil else { return }
        let isExpected = (description.frameworkVersion ?? 0) >= Self.cachingVersion
        guard check.facts.hasTable("Z_MODELCACHE") else {
            if isExpected, description.modelProblem != nil || description.model == nil {
                add(.model, "Z_MODELCACHE", "The table of the cached model is missing.", remedy)
            }
            return
        }
        var isEmpty = false
        try check.reading("Z_MODELCACHE") {
            isEmpty = try check.database.integer("SELECT count(*) FROM Z_MODELCACHE") == 0
        }
        if isEmpty, !isExpected { return }
        add(
            .model, "Z_MODELCACHE",
            isEmpty ? "The store has no cached model." : "The cached model cannot be read.",
            cause: description.modelProblem, remedy)
    }

    /// With a model that is given, nothing is lost.
    private var remedy: StoreFinding.Remedy { check.model == nil ? .none : .mended }
}
