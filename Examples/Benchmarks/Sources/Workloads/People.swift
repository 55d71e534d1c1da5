import Foundation

/// The generated test data: identical for every engine, round and machine.
///
/// All values are computed from the user's number, so that all engines get the same data and a million users need no file.
public enum People {
    /// The number of users with messages.
    public static let writers = 1_000
    /// The number of messages of each of these users.
    public static let messagesPerWriter = 100

    /// Returns the users with the indexes in `range`. Another `edition` gives the same users with other values.
    public static func users(_ range: Range<Int>, edition: UInt64 = 0) -> [UserRow] {
        range.map { user($0, edition: edition) }
    }

    /// Returns messages in the order in which they were sent, so that those of one user are scattered over the table.
    public static func messages(_ range: Range<Int>) -> [MessageRow] {
        range.map { index in
            let dice = mixed(UInt64(index) &+ 0x5EED)
            return MessageRow(
                messageID: Int64(index + 1),
                text: "\(openings[pick(dice, 0, openings.count)]) \(closings[pick(dice, 16, closings.count)])",
                sentAt: Date(timeIntervalSinceReferenceDate: 600_000_000 + Double(index) * 61.5),
                isRead: dice & 1 == 0,
                senderID: Int64(index % writers + 1)
            )
        }
    }

    /// Returns fragments of names for the search workload. Each is contained in many names.
    public static func nameFragments(_ count: Int) -> [String] {
        (0..<count).map { index in
            let name = index % 2 == 0 ? lastNames[index % lastNames.count] : firstNames[index % firstNames.count]
            return String(name.lowercased().dropFirst().prefix(2 + index / 50 % 2))
        }
    }

    /// Returns user numbers in pseudorandom order, for lookups.
    public static func scatteredIDs(_ count: Int, outOf total: Int) -> [Int64] {
        (0..<count).map { Int64(mixed(UInt64($0) &+ 77) % UInt64(total)) + 1 }
    }

    private static func user(_ index: Int, edition: UInt64) -> UserRow {
        let dice = mixed(UInt64(index) &+ edition &* 0x1_0000_0001)
        let first = firstNames[pick(dice, 0, firstNames.count)]
        let last = lastNames[pick(dice, 8, lastNames.count)]
        let created = 400_000_000 + Double(index) * 3.25
        return UserRow(
            userID: Int64(index + 1),
            name: "\(first) \(last)",
            email: "\(first.lowercased()).\(last.lowercased())\(index % 1000)@example.com",
            phone: "+\(10_000_000_000 + Int(dice >> 20) % 89_999_999_999)",
            balance: Double(Int(dice >> 12) % 1_000_000) / 100,
            isFriend: dice >> 5 & 3 == 0,
            country: countries[pick(dice, 24, countries.count)],
            lastUpdate: Date(timeIntervalSinceReferenceDate: created + Double(dice >> 32 & 0xFFFFF) + 0.5),
            status: Int32(index % 10),
            avatar: dice >> 41 & 1 == 0 ? "https://img.example.com/a/\(dice >> 44).png" : nil,
            notes: dice >> 43 & 3 == 0 ? "Met \(first) at the conference in spring; prefers to be called." : nil,
            createdAt: Date(timeIntervalSinceReferenceDate: created)
        )
    }

    /// Returns the output function of SplitMix64 for `value`: every bit of the result depends on every bit of the input.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func pick(_ dice: UInt64, _ shift: UInt64, _ count: Int) -> Int {
        Int((dice >> shift & 0xFFFF) % UInt64(count))
    }

    private static let firstNames = [
        "Ada", "Alma", "Anton", "Bela", "Carla", "Dario", "Edith", "Elias", "Fatima", "Felix", "Greta", "Hamid",
        "Ines", "Ivo", "Jana", "Jonas", "Kaja", "Lea", "Linh", "Luka", "Mara", "Milan", "Nadia", "Nils", "Olga",
        "Paolo", "Quynh", "Rosa", "Samir", "Selma", "Tarek", "Uma", "Vera", "Wanda", "Yara", "Zoe",
    ]
    private static let lastNames = [
        "Abel", "Adler", "Bauer", "Berger", "Castro", "Conti", "Dang", "Dvorak", "Eriksen", "Farah", "Fischer",
        "Garcia", "Haddad", "Hansen", "Ivanov", "Jansen", "Keller", "Kovac", "Larsen", "Lindberg", "Mancini",
        "Moreau", "Nguyen", "Novak", "Okafor", "Olsen", "Petrov", "Pham", "Quist", "Rossi", "Sato", "Silva",
        "Tanaka", "Tran", "Urban", "Vogel", "Weber", "Yilmaz", "Zeman",
    ]
    private static let openings = [
        "See you at", "I am late for", "Have you booked", "Do not forget", "They moved", "We should cancel",
    ]
    private static let closings = ["lunch.", "the meeting at nine.", "the train to Prague.", "her birthday on Friday."]
    private static let countries: [Int32] = [
        1, 7, 20, 27, 30, 31, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 52, 55, 61, 81, 84, 90, 91,
    ]
}
