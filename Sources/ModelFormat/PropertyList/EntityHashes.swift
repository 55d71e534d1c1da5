import Foundation

/// The version hashes of a model's entities, as stored in a property list.
///
/// Opening a store compares two such lists, which is faster than converting them to dictionaries.
package struct EntityHashes: Sendable {
    private let names: [String]
    /// 32 bytes for each name.
    private let bytes: [UInt8]

    private static let size = 32

    /// Reads the hashes; nil unless the value is a dictionary of data of the right length.
    init?(_ number: Int, in list: PropertyListTable) {
        guard list.isDictionary(number) else { return nil }
        let keys = list.keys(number)
        var names: [String] = []
        var bytes: [UInt8] = []
        names.reserveCapacity(keys.count)
        bytes.reserveCapacity(keys.count * Self.size)
        for index in 0..<keys.count {
            guard let name = list.string(list.number(index, of: keys)),
                list.appendData(list.number(index, ofValuesFor: keys), count: Self.size, to: &bytes)
            else { return nil }
            names.append(name)
        }
        self.names = names
        self.bytes = bytes
    }

    /// The hashes by entity name.
    package var byName: [String: Data] {
        var byName = [String: Data](minimumCapacity: names.count)
        for (index, name) in names.enumerated() {
            byName[name] = Data(bytes[index * Self.size..<(index + 1) * Self.size])
        }
        return byName
    }

    /// Returns whether both have the same entities with the same hashes.
    package func isSame(as other: EntityHashes) -> Bool {
        if names == other.names { return bytes == other.bytes }
        guard names.count == other.names.count, names.count <= Self.few else { return byName == other.byName }
        return isWithin(other) && other.isWithin(self)
    }

    /// The number of entities up to which a nested loop is faster than creating dictionaries.
    private static let few = 16

    private func isWithin(_ other: EntityHashes) -> Bool {
        names.indices.allSatisfy { index in
            guard let place = other.names.firstIndex(of: names[index]) else { return false }
            return bytes[index * Self.size..<(index + 1) * Self.size]
                .elementsEqual(other.bytes[place * Self.size..<(place + 1) * Self.size])
        }
    }

    /// Returns whether there is exactly one hash for each of these entities.
    package func belong(to entities: [Entity]) -> Bool {
        guard entities.count == names.count else { return false }
        for index in names.indices where names[index] != entities[index].name {
            return names.sorted() == entities.map(\.name).sorted()
        }
        return true
    }
}
