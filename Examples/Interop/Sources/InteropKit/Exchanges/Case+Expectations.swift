import CoreData

extension Case {
    /// All lines expected of the filled store.
    var filledLines: [String] { lines(of: filled) }
    /// All lines expected after the edits.
    var editedLines: [String] { lines(of: edited) }
    /// All lines expected in the second version, without the history, which is not compared after a migration.
    var migratedLines: [String] { migrated.lines }

    private func lines(of scene: Scene) -> [String] {
        (scene.lines + (tracksHistory ? scene.history.lines : [])).sorted()
    }

    /// Returns all lines expected of a store in a state.
    func lines(in state: Exchange.State) -> [String] {
        switch state {
        case .edited: editedLines
        case .migrated: migratedLines
        case .own: filledLines
        }
    }
}

/// Both versions of a case's model.
struct ModelPair {
    let first: NSManagedObjectModel
    let second: NSManagedObjectModel

    /// Creates the models in code.
    ///
    /// - Throws: ``InteropError`` if the system does not support a type of attribute.
    init(of item: Case) throws {
        first = try item.schema.model()
        second = try item.next.model()
    }

    /// Reads the models from a `.momd`.
    ///
    /// - Throws: ``InteropError`` if one cannot be read.
    init(contentsOf folder: URL) throws {
        func model(_ version: ModelVersion) throws -> NSManagedObjectModel {
            let file = folder.model(version)
            guard let model = NSManagedObjectModel(contentsOf: file) else {
                throw InteropError("the model cannot be read: \(file.path)")
            }
            return model
        }
        first = try model(.first)
        second = try model(.second)
    }

    /// The version hashes of the entities of both versions, one line each.
    var hashLines: [String] {
        [(1, first), (2, second)].flatMap { number, model in
            model.entityVersionHashesByName.map { "version \(number), \($0.key): \(Value.summary($0.value))" }.sorted()
        }
    }
}
