import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// A reference to a version of a model, loaded on first use.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    /// The checksum that the model must have.
    open internal(set) var versionChecksum: String
    private let origin: Origin
    private let resolved = Locked<NSManagedObjectModel?>(nil)

    private enum Origin {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle?)
        case hashes([String: Data], Bundle?)
    }

    /// Creates a reference to a loaded model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        origin = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to the version with that checksum in a `.mom` or `.momd`.
    public init(fileURL: URL, versionChecksum: String) {
        origin = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to the version with that checksum of the named model in a bundle; nil is the main bundle.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        origin = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to the model in a bundle with these entity version hashes; nil is the main bundle.
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        let pairs = versionHash.compactMap { key, value in
            (key as? String).flatMap { name in (value as? Data).map { (name, $0) } }
        }
        origin = .hashes(Dictionary(pairs) { first, _ in first }, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model. Traps if there is none with the checksum; a migration throws 134504 instead.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            fatalError("\((error as NSError).localizedFailureReason ?? "\(error)")")
        }
    }

    /// Returns the model, loading it on first use.
    ///
    /// - Throws: 134504 if there is no model with the checksum.
    func resolve() throws -> NSManagedObjectModel {
        if let known = resolved.withLock({ $0 }) { return known }
        let candidates = candidates()
        guard let model = candidates.first(where: { $0.versionChecksum == versionChecksum }) else {
            throw CoreDataError.make(
                NSManagedObjectModelReferenceNotFoundError,
                description: "A model of the staged migration could not be found.",
                reason: candidates.isEmpty
                    ? "There is no model \(place)." : "No version \(place) has the checksum \(versionChecksum).",
                advice: "Compare it with NSManagedObjectModel.versionChecksum, or with what modelc hashes prints.")
        }
        resolved.withLock { $0 = model }
        return model
    }

    private var place: String {
        switch origin {
        case .model: "given"
        case .file(let url): "at \(url.path)"
        case .name(let name, let bundle): "named \(name) in \((bundle ?? .main).bundlePath)"
        case .hashes(_, let bundle): "with these hashes in \((bundle ?? .main).bundlePath)"
        }
    }

    private func candidates() -> [NSManagedObjectModel] {
        switch origin {
        case .model(let model): return [model]
        case .file(let url): return ModelSearch.versions(at: url)
        case .name(let name, let bundle):
            return ModelSearch.modelFiles(in: bundle.map { [$0] })
                .filter { $0.deletingPathExtension().lastPathComponent == name }.flatMap(ModelSearch.versions)
        case .hashes(let hashes, let bundle):
            return ModelSearch.allVersions(in: bundle.map { [$0] }).filter { $0.entityVersionHashesByName == hashes }
        }
    }

    /// Creates a reference to an empty model.
    public convenience override init() {
        let model = NSManagedObjectModel()
        self.init(model: model, versionChecksum: model.versionChecksum)
    }
}
