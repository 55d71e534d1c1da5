#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import ModelFormat

/// The search for objects that a migration cannot preserve, and their errors.
struct MigrationFindings {
    let checks: [MigrationCheck]
    let identifier: String
    let url: URL

    /// Runs all searches in one round trip.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(on connection: PostgreSQLConnection, checking interruption: FetchInterruption?) throws {
        var failures = [NSError?](repeating: nil, count: checks.count)
        let requests = checks.enumerated().map { index, check in
            PipelineRequest(ServerStatement(check.sql, isPrepared: false)) { failures[index] = try failure(check, $0) }
        }
        try connection.run(requests, checking: interruption)
        if let first = failures.lazy.compactMap({ $0 }).first { throw first }
    }

    private func failure(_ check: MigrationCheck, _ rows: ServerRows) throws -> NSError? {
        guard rows.count > 0 else { return nil }
        switch check.kind {
        case .values(let conversion, let attribute, let entities):
            return try unfitValues(rows, conversion, attribute, entities)
        case .abstractEntity(let layout, let name):
            let objects = try examples(rows).compactMap { $0.object }
            return failure(of: name, layout.name, objects, count: try rows.int64(0, 5))
        case .hazard(let hazard):
            return UnmigratableObjects(
                hazard: hazard, examples: try examples(rows), count: Int(try rows.int64(0, 5))
            ).failure(at: url)
        }
    }

    /// Returns the ID of an object.
    private func object(_ entity: String, _ key: Int64) -> URL? {
        URL(string: "x-coredata://\(identifier)/\(entity)/p\(key)")
    }

    private func examples(_ rows: ServerRows) throws -> [(object: URL, others: [URL])] {
        var found: [(object: URL, others: [URL])] = []
        var last: Int64 = 0
        for row in 0..<rows.count {
            let number = try rows.int64(row, 4)
            if number != last, let object = object(rows.text(row, 1), try rows.int64(row, 0)) {
                found.append((object, []))
                last = number
            }
            guard !found.isEmpty, !rows.isNull(row, 2), let other = object(rows.text(row, 3), try rows.int64(row, 2))
            else { continue }
            found[found.count - 1].others.append(other)
        }
        return found
    }

    private func unfitValues(
        _ rows: ServerRows, _ conversion: NumericConversion, _ attribute: String,
        _ entities: [(old: EntityLayout, new: EntityLayout)]
    ) throws -> NSError? {
        var unfit: [UnfitValue] = []
        var count = 0
        for row in 0..<rows.count {
            let bits = try rows.int64(row, 2)
            let value =
                conversion.source.isFloatingPoint
                ? NSNumber(value: Double(bitPattern: UInt64(bitPattern: bits))) : NSNumber(value: bits)
            guard !conversion.fits(value) else { continue }
            count += 1
            let name = rows.text(row, 1)
            guard unfit.count < UnmigratableObjects.limit, let entity = entities.first(where: { $0.old.name == name })
            else { continue }
            unfit.append(
                UnfitValue(
                    entity: entity.new.name, attribute: attribute, value: value, source: conversion.source,
                    destination: conversion.destination, object: object(name, try rows.int64(row, 0))))
        }
        return unfit.first?.failure(at: url, others: Array(unfit.dropFirst()), count: count)
    }

    private func failure(of name: String, _ source: String, _ objects: [URL], count: Int64) -> NSError {
        let more = count > objects.count ? ", and \(Int(count) - objects.count) more" : ""
        return CoreDataError.make(
            NSMigrationError,
            description:
                "The store at \(url.nameInMessages) could not be migrated: \(name) has become abstract, and there are "
                + "objects of \(source) itself: \(objects.map(\.absoluteString).joined(separator: ", "))\(more).",
            reason:
                "\(name) has become abstract, and the store has \(count) object\(count == 1 ? "" : "s") of \(source) "
                + "itself.",
            advice:
                "Say with a mapping model which subentity they become, or delete them with the old version of the model.",
            entity: name, userInfo: [NSAffectedObjectsErrorKey: objects, NSURLErrorKey: url])
    }
}
#endif
