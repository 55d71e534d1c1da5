import MagicalRecord
import Testing

/// Paths of `mappedKeyName` with the collection operators of key-value coding, as the original had them from Foundation.
struct PathOperatorTests {
    private let record: [String: Any] = [
        "name": "Ann",
        "games": [
            ["points": 3, "place": "Rome"], ["points": 5, "place": "Oslo"], ["points": 4, "place": "Rome"],
            ["place": NSNull()],
        ] as [[String: Any]],
        "dotted.key": "found whole",
    ]

    @Test(
        arguments: [
            ("games.@count", "4"), ("games.@sum.points", "12"), ("games.@avg.points", "4"), ("games.@min.points", "3"),
            ("games.@max.points", "5"), ("games.@max.place", "Rome"), ("games.@min.place", "Oslo"),
            ("dotted.key", "found whole"), ("name", "Ann"),
            ("games.@nothing.points", nil), ("name.@count", nil), ("name.length.more", nil), ("missing.name", nil),
        ] as [(String, String?)])
    func values(_ path: String, _ expected: String?) throws {
        let entity = Build.entity("Player")
        entity.properties = [Build.attribute("text", .stringAttributeType, info: ["mappedKeyName": path])]
        let stack = try MagicalRecord.Stack([.inMemory], shape: .server, model: .model(Build.model(entity)))
        let context = stack.newContext()
        try context.runAndWait {
            let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            try player.importValues(from: record)
            let text = player.value(forKey: "text") as? String
            #expect(text.map { $0.hasSuffix(".0") ? String($0.dropLast(2)) : $0 } == expected)
        }
    }
}
