import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Finds values that do not fit the new type of their attribute, before anything is written.
struct ConversionCheck {
    /// Creates the check; returns nil if no attribute changes its type in a way that could lose a value.
    init?(_ models: LayoutCorrespondence) {
        guard models.mayNarrow else { return nil }
    }

    /// Checks the rows of a store.
    ///
    /// - Throws: 134110 naming entity, attribute, objects and values.
    func run(_ session: InPlaceSession) throws {
        for (column, numbers) in columns(session).sorted(by: { $0.key < $1.key }) {
            try check(column, entities: numbers, session)
        }
    }

    /// A column that changes its type.
    private struct Column: Hashable, Comparable {
        var table: String
        var name: String
        var conversion: NumericConversion
        var attribute: String

        static func < (one: Column, other: Column) -> Bool {
            (one.table, one.name, one.attribute) < (other.table, other.name, other.attribute)
        }
    }

    /// Returns the columns that change their type, each with its entities and their numbers in the file.
    private func columns(_ session: InPlaceSession) -> [Column: [(number: Int, old: EntityLayout, new: EntityLayout)]] {
        var found: [Column: [(number: Int, old: EntityLayout, new: EntityLayout)]] = [:]
        for layout in session.new.all {
            guard let source = session.models.origin(of: layout), let table = session.oldTable(of: source),
                let places = session.oldSchema.entities[source.number]
            else { continue }
            for cell in layout.cells {
                guard let origin = session.models.origin(of: cell, in: layout),
                    let column = places.cells[origin.index].column,
                    let conversion = session.models.conversion(from: origin, to: cell),
                    conversion.suspicion(column) != nil
                else { continue }
                let key = Column(table: table, name: column, conversion: conversion, attribute: cell.path)
                found[key, default: []].append((session.fileNumber(source), source, layout))
            }
        }
        return found
    }

    private func check(
        _ column: Column, entities: [(number: Int, old: EntityLayout, new: EntityLayout)], _ session: InPlaceSession
    ) throws {
        guard let suspicion = column.conversion.suspicion(column.name) else { return }
        let numbers = entities.map { String($0.number) }.joined(separator: ", ")
        let rows = try session.connection.prepare(
            "SELECT Z_PK, Z_ENT, \(column.name) FROM \(session.current(column.table)) "
                + "WHERE Z_ENT IN (\(numbers)) AND \(suspicion) ORDER BY Z_PK")
        var unfit: [UnfitValue] = []
        var count = 0
        var uuid: String?
        while try rows.step() {
            let value =
                rows.type(2) == SQLITE_INTEGER
                ? NSNumber(value: rows.integer(2)) : NSNumber(value: rows.double(2))
            guard !column.conversion.fits(value) else { continue }
            count += 1
            guard unfit.count < 20, let entity = entities.first(where: { $0.number == Int(rows.integer(1)) }) else {
                continue
            }
            if uuid == nil { uuid = try session.connection.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1") }
            unfit.append(
                UnfitValue(
                    entity: entity.new.name, attribute: column.attribute, value: value,
                    source: column.conversion.source, destination: column.conversion.destination,
                    object: URL(string: "x-coredata://\(uuid ?? "")/\(entity.old.name)/p\(rows.integer(0))")))
        }
        guard let first = unfit.first else { return }
        throw first.failure(
            at: URL(fileURLWithPath: session.path), others: Array(unfit.dropFirst()), count: count)
    }
}

extension InPlaceSession {
    /// Registers the SQL function that conversions to Float call.
    static func addFunctions(to connection: SQLiteConnection) throws {
        let result = sqlite3_create_function_v2(
            connection.handle, NumericConversion.rounding, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { call, _, arguments in
                guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
                    return sqlite3_result_null(call)
                }
                sqlite3_result_double(call, Double(Float(sqlite3_value_double(arguments[0]))))
            }, nil, nil, nil)
        guard result == SQLITE_OK else { throw connection.error(result, sql: nil) }
    }
}
