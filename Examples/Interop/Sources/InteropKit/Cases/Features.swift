import Foundation

extension Case {
    /// Binary data stored in the table and in external files.
    static let externalData = Case(
        name: "external-data", title: "External binary data, small and large",
        schema: schemaOfExternalData,
        next: schemaOfExternalData.changing("Photo") { $0.rename("image", to: "picture") }.adding(to: "Photo"),
        fill: [
            .insert("Photo", "none", [:]),
            .insert("Photo", "empty", ["image": .data(Data())]),
            .insert("Photo", "small", ["image": bytes(100, 1), "inline": bytes(100, 2)]),
            .insert("Photo", "large", ["image": bytes(300_000, 3), "inline": bytes(300_000, 4)]),
            .insert("Photo", "huge", ["image": bytes(2_000_000, 5)]),
            .insert("Photo", "other", ["image": bytes(250_000, 6)]),
            .save(by: "writer"),
        ],
        edit: [
            .set("none", "image", bytes(400_000, 7)), .set("small", "image", bytes(500_000, 8)),
            .set("large", "image", bytes(50, 9)), .set("huge", "image", .none), .delete("other"),
            .insert("Photo", "added", ["image": bytes(1_000_000, 10)]),
            .save(by: "editor"),
        ])

    private static let schemaOfExternalData = Schema([
        EntityShape("Photo", [.init("image", .externalData), .init("inline", .data)])
    ])

    /// Returns pseudorandom bytes that depend on the seed.
    private static func bytes(_ count: Int, _ seed: UInt64) -> Value {
        var state = seed &* 0x9e37_79b9_7f4a_7c15
        return .data(
            Data(
                (0..<count).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: state >> 56)
                }))
    }

    /// Persistent history: transactions with their authors, changes and tokens.
    static let history = Case(
        name: "history", title: "Persistent history",
        schema: schemaOfHistory, next: schemaOfHistory.adding(to: "Note"),
        fill: [
            .insert("Note", "a", ["text": .text("one"), "rank": .integer(1)]),
            .insert("Note", "b", ["text": .text("two")]),
            .save(by: "writer"),
            .set("a", "text", .text("three")), .insert("Note", "c", [:]),
            .save(by: "\u{4F5C}\u{8005}"),
            .delete("b"), .set("a", "text", .text("four")), .set("a", "rank", .integer(2)),
            .save(by: "writer"),
        ],
        edit: [
            .set("c", "text", .text("five")), .insert("Note", "d", [:]),
            .save(by: "editor"),
            .delete("a"), .set("d", "rank", .integer(9)),
            .save(by: "writer"),
        ],
        tracksHistory: true)

    private static let schemaOfHistory: Schema = {
        var schema = Schema([EntityShape("Note", [.init("text", .text), .init("rank", .integer32)])])
        // Tombstones preserve the key.
        schema.entities[0].attributes[0].outlivesObject = true
        return schema
    }()

    /// Nested composite attributes.
    static let composites = Case(
        name: "composites", title: "Composite attributes",
        schema: schemaOfComposites,
        next: schemaOfComposites.changing("Customer") { $0.rename("home", to: "residence") }.adding(to: "Customer"),
        fill: [
            .insert("Customer", "ann", ["home": address("1 Oak Street", 12_345, 1.5, -2.5)]),
            .insert("Customer", "bob", ["home": .table(["street": .text("2 Elm Street")])]),
            .insert(
                "Customer", "cleo",
                [
                    "home": address("3 Fir Street", 0, 0, 0), "work": address("4 Ash Street", -1, .infinity, -90),
                ]),
            .save(by: "writer"),
        ],
        edit: [
            .set("ann", "home", address("5 Yew Street", 54_321, 2, 3)), .set("bob", "work", address("6", 6, 6, 6)),
            .delete("cleo"), .insert("Customer", "dan", ["home": address("7", 7, 7, 7)]),
            .save(by: "editor"),
        ],
        hasComposites: true)

    private static let schemaOfComposites: Schema = {
        let place = Kind.composite([.init("latitude", .double), .init("longitude", .double)])
        let address = Kind.composite([.init("street", .text), .init("code", .integer32), .init("place", place)])
        return Schema([EntityShape("Customer", [.init("home", address), .init("work", address)])])
    }()

    private static func address(_ street: String, _ code: Int64, _ latitude: Double, _ longitude: Double) -> Value {
        .table([
            "street": .text(street), "code": .integer(code),
            "place": .table(["latitude": .double(latitude), "longitude": .double(longitude)]),
        ])
    }

    /// Uniqueness constraints of one and of two attributes, and inserted objects that conflict.
    static let constraints = Case(
        name: "constraints", title: "Uniqueness constraints",
        schema: schemaOfConstraints,
        next: schemaOfConstraints.changing("Product") { $0.rename("title", to: "label") }.adding(to: "Product"),
        fill: [
            .insert("Product", "p1", ["code": .text("A-1"), "title": .text("Pen"), "price": .decimal("1.25")]),
            .insert("Product", "p2", ["code": .text("A-2"), "title": .text("Ink"), "price": .decimal("7.5")]),
            .insert("Seat", "s1", ["row": .integer(1), "number": .integer(1), "name": .text("Ann")]),
            .insert("Seat", "s2", ["row": .integer(1), "number": .integer(2), "name": .text("Bob")]),
            .save(by: "writer"),
            .upsert("Product", "p1", ["code": .text("A-1"), "title": .text("Fine pen"), "price": .decimal("2.5")]),
            .save(by: "writer"),
        ],
        edit: [
            .upsert("Product", "p2", ["code": .text("A-2"), "title": .text("Black ink"), "price": .decimal("8")]),
            .upsert("Seat", "s2", ["row": .integer(1), "number": .integer(2), "name": .text("Cleo")]),
            .insert("Seat", "s3", ["row": .integer(2), "number": .integer(2), "name": .text("Dan")]),
            .save(by: "editor"),
            .delete("p1"),
            .save(by: "editor"),
            .insert("Product", "p3", ["code": .text("A-1"), "title": .text("Pen again"), "price": .none]),
            .save(by: "editor"),
        ])

    private static let schemaOfConstraints = Schema([
        EntityShape(
            "Product", [.init("code", .text), .init("title", .text), .init("price", .decimal)], constraints: [["code"]]),
        EntityShape(
            "Seat", [.init("row", .integer16), .init("number", .integer16), .init("name", .text)],
            constraints: [["row", "number"]]),
    ])
}
