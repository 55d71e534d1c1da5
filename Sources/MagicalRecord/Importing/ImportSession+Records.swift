import CoreData

extension ImportSession {
    /// Imports the records of a reader; reports unreadable ones as failures.
    mutating func importRecords(_ records: [ReadRecord]) throws -> [NSManagedObject?] {
        var plain: [Any] = []
        plain.reserveCapacity(records.count)
        for record in records {
            switch record {
            case .success(let value): plain.append(value)
            // Keeps its position, so that the indexes of the following records stay right.
            case .failure(let error): plain.append(UnreadableRecord(error: error))
            }
        }
        return try EngineReports.importChunk(of: records.count, as: plan.entityName, in: context) {
            try importChunk(plain)
        }
    }

    /// Drops invalid objects from the context and reports their records as failed.
    ///
    /// - Returns: true if there were any.
    mutating func dropInvalidObjects() throws -> Bool {
        var failures: [(Int, any Error)] = []
        let owners = owners
        for object in context.insertedObjects.union(context.updatedObjects) {
            guard let error = Self.validationError(of: object) else { continue }
            failures.append((owners[object] ?? chunkStart, error))
            if object.isInserted {
                context.delete(object)
            } else {
                context.refresh(object, mergeChanges: false)
            }
        }
        context.processPendingChanges()
        for (index, error) in failures.sorted(by: { $0.0 < $1.0 }) { try noteInvalid(error, at: index) }
        return !failures.isEmpty
    }

    private static func validationError(of object: NSManagedObject) -> (any Error)? {
        do {
            if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
            return nil
        } catch {
            return error
        }
    }
}

/// A placeholder for a record that could not be read.
struct UnreadableRecord {
    let error: any Error
}
