extension Case {
    /// A migration by a mapping model with a computed value, object by object.
    static let mapping = Case(
        name: "mapping-model", title: "Migration by a mapping model",
        schema: schemaOfMapping,
        next: schemaOfMapping.changing("Book") { $0.rename("title", to: "name") }.adding(to: "Book"),
        fill: [
            .insert("Shelf", "top", ["height": .double(1.8)]), .insert("Shelf", "low", [:]),
            .insert("Book", "b1", ["title": .text("One")]), .insert("Book", "b2", ["title": .text("Two")]),
            .insert("Comic", "b3", ["title": .text("Three"), "issue": .integer(3)]),
            .link("top", "books", ["b3", "b1"]), .link("low", "books", ["b2"]),
            .save(by: "writer"),
        ],
        edit: [
            .link("low", "books", ["b2", "b3"]), .set("b1", "title", .none), .insert("Comic", "b4", [:]),
            .save(by: "editor"),
        ],
        mappedAdditions: "by a mapping model")

    private static let schemaOfMapping = Schema([
        EntityShape(
            "Shelf", [.init("height", .double)], links: [.ordered("books", "Book", inverse: "shelf")]),
        EntityShape("Book", [.init("title", .text)], links: [.one("shelf", "Shelf", inverse: "books")]),
        EntityShape("Comic", parent: "Book", [.init("issue", .integer32)]),
    ])
}
