#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The rows of a batch insert in binary form, column by column on request.
struct BatchTable {
    let columns: [BatchColumn]
    /// The number of rows.
    private(set) var count = 0
    private var memory = BinaryWriter()
    /// The place of each value, row by row; a length of -1 is NULL.
    private var places: ContiguousArray<(offset: Int, length: Int32)> = []
    /// The columns that each row gives, as bit words.
    private var given: ContiguousArray<UInt64> = []
    private let words: Int

    init(_ columns: [BatchColumn]) {
        self.columns = columns
        words = max(1, (columns.count + 63) / 64)
    }

    // MARK: Adding rows

    /// Adds the value of the next column of the row that is being added. A closure writes it, and returns false for NULL.
    mutating func add(isGiven: Bool, _ write: (inout BinaryWriter) throws -> Bool) rethrows {
        let column = places.count % columns.count
        if column == 0 { for _ in 0..<words { given.append(0) } }
        let offset = memory.bytes.count
        let isPresent = try write(&memory)
        places.append((offset, isPresent ? Int32(memory.bytes.count - offset) : -1))
        if isGiven { given[given.count - words + column >> 6] |= 1 << UInt64(column & 63) }
    }

    mutating func endRow() { count += 1 }

    // MARK: Overwriting

    /// Copies the values that a row gives to another row.
    mutating func overwrite(_ target: Int, with source: Int) {
        for column in columns.indices where gives(source, column) {
            places[target * columns.count + column] = places[source * columns.count + column]
            given[target * words + column >> 6] |= 1 << UInt64(column & 63)
        }
    }

    func gives(_ row: Int, _ column: Int) -> Bool { given[row * words + column >> 6] & 1 << UInt64(column & 63) != 0 }

    /// Returns the columns that a row gives, as bit words.
    func given(by row: Int) -> [UInt64] { Array(given[row * words..<(row + 1) * words]) }

    // MARK: Writing

    /// Adds the values of a column in some rows to a statement's parameters, as an array.
    func add(_ column: Int, of rows: some Collection<Int>, to parameters: inout ParameterList) {
        let hasNulls = rows.contains { places[$0 * columns.count + column].length < 0 }
        parameters.add { writer in
            writer.beginArray(of: columns[column].type, count: rows.count, hasNulls: hasNulls)
            for row in rows { write(row, column, to: &writer) }
        }
    }

    /// Writes a value with its length before it.
    func write(_ row: Int, _ column: Int, to writer: inout BinaryWriter) {
        let place = places[row * columns.count + column]
        writer.int32(place.length)
        guard place.length > 0 else { return }
        writer.bytes.append(contentsOf: memory.bytes[place.offset..<place.offset + Int(place.length)])
    }
}
#endif
