extension Case {
    /// Three levels of subentities of an abstract entity, with relationships to each level.
    static let inheritance = Case(
        name: "inheritance", title: "Inheritance, three levels below an abstract entity",
        schema: schemaOfInheritance,
        next: schemaOfInheritance.changing("Car") { $0.rename("doors", to: "doorCount") }
            .changing("Truck") {
                $0.formerName = "Truck"
                $0.name = "Lorry"
            }
            .changing("Garage") { $0.renameLink("vehicles", to: "contents") }
            .changing("Vehicle") { entity in
                for index in entity.links.indices where entity.links[index].name == "garage" {
                    entity.links[index].inverse = "contents"
                }
            }.adding(to: "Vehicle"),
        fill: [
            .insert("Garage", "north", ["name": .text("North")]),
            .insert("Garage", "south", ["name": .text("South")]),
            .insert("Vehicle", "cart", ["weight": .double(80)]),
            .insert("Car", "mini", ["weight": .double(700.5), "doors": .integer(2)]),
            .insert("Car", "van", ["weight": .double(2_000), "doors": .integer(5)]),
            .insert("Truck", "heavy", ["weight": .double(20_000), "doors": .integer(2), "load": .integer(40_000)]),
            .insert("Truck", "light", ["load": .integer(3_500)]),
            .insert("Person", "ann", ["name": .text("Ann")]),
            .link("north", "vehicles", ["cart", "mini", "heavy"]),
            .link("light", "garage", ["south"]),
            .link("ann", "drives", ["heavy"]),
            .link("van", "driver", ["ann"]),
            .save(by: "writer"),
        ],
        edit: [
            .set("mini", "doors", .integer(3)),
            .set("heavy", "load", .none),
            .link("mini", "garage", ["south"]),
            .link("van", "garage", ["south"]),
            .delete("cart"),
            .insert("Truck", "new", ["load": .integer(1), "weight": .double(1)]),
            .insert("Person", "bob", ["name": .text("Bob")]),
            .link("bob", "drives", ["new"]),
            .link("light", "garage", []),
            .save(by: "editor"),
            .delete("north"),
            .save(by: "editor"),
        ])

    private static let schemaOfInheritance = Schema([
        EntityShape("Thing", isAbstract: true, [.init("name", .text)]),
        EntityShape("Garage", parent: "Thing", [], links: [.many("vehicles", "Vehicle", inverse: "garage")]),
        EntityShape(
            "Vehicle", parent: "Thing", [.init("weight", .double)],
            links: [.one("garage", "Garage", inverse: "vehicles"), .one("driver", "Person", inverse: "drives")]),
        EntityShape("Car", parent: "Vehicle", [.init("doors", .integer16, defaultValue: .integer(4))]),
        EntityShape("Truck", parent: "Car", [.init("load", .integer32)]),
        EntityShape("Person", parent: "Thing", [], links: [.one("drives", "Vehicle", inverse: "driver")]),
    ])

    /// Relationships that are to-many on both sides, between two entities and within one.
    static let manyToMany = Case(
        name: "many-to-many", title: "Many-to-many, also within one entity",
        schema: schemaOfManyToMany,
        next: schemaOfManyToMany.changing("Person") { $0.renameLink("groups", to: "circles") }
            .changing("Group") { $0.links[0].inverse = "circles" }.adding(to: "Group"),
        fill: people.map { .insert("Person", $0, ["name": .text($0)]) } + [
            .insert("Group", "all", [:]), .insert("Group", "few", [:]), .insert("Group", "none", [:]),
            .link("all", "members", people), .link("few", "members", ["ann", "cleo"]),
            .link("ann", "follows", ["bob", "cleo", "ann"]), .link("bob", "follows", ["ann"]),
            .link("dan", "followers", people),
            .link("ann", "friends", ["bob"]), .link("cleo", "friends", ["dan", "bob"]),
            .save(by: "writer"),
        ],
        edit: [
            .link("few", "members", ["bob", "dan"]), .link("cleo", "groups", ["none"]),
            .link("ann", "follows", ["ann", "dan"]), .link("bob", "friends", ["cleo"]),
            .delete("dan"),
            .insert("Person", "eve", ["name": .text("eve")]), .link("eve", "groups", ["all", "none"]),
            .link("eve", "followers", ["ann", "bob"]), .link("eve", "friends", ["ann"]),
            .save(by: "editor"),
            .delete("none"),
            .save(by: "editor"),
        ])

    private static let people = ["ann", "bob", "cleo", "dan"]

    private static let schemaOfManyToMany = Schema([
        EntityShape(
            "Person", [.init("name", .text)],
            links: [
                .many("groups", "Group", inverse: "members"),
                .many("follows", "Person", inverse: "followers"), .many("followers", "Person", inverse: "follows"),
                // A relationship that is its own inverse.
                .many("friends", "Person", inverse: "friends"),
            ]),
        EntityShape("Group", [], links: [.many("members", "Person", inverse: "groups")]),
    ])

    /// Ordered relationships, to-many and many-to-many.
    static let ordered = Case(
        name: "ordered", title: "Ordered relationships, to-many and many-to-many",
        schema: schemaOfOrdered,
        next: schemaOfOrdered.changing("Track") { $0.rename("seconds", to: "duration") }.adding(to: "Album"),
        fill: [.insert("Album", "first", [:]), .insert("Album", "second", [:])]
            + tracks.map { .insert("Track", $0, ["seconds": .integer(60)]) } + [
                .insert("Tag", "calm", [:]), .insert("Tag", "loud", [:]), .insert("Tag", "old", [:]),
                .link("first", "tracks", tracks.reversed()),
                .link("t1", "tags", ["old", "calm", "loud"]), .link("t2", "tags", ["loud", "old"]),
                .link("t3", "tags", ["calm"]), .link("old", "tracks", ["t2", "t1"]),
                .link("calm", "tracks", ["t3", "t1"]),
                .link("loud", "tracks", ["t1", "t2"]),
                .link("t1", "similar", ["t3", "t2"]), .link("t4", "similar", ["t2", "t1", "t3"]),
                .save(by: "writer"),
            ],
        edit: [
            .link("second", "tracks", ["t5", "t1"]), .link("first", "tracks", ["t2", "t4", "t3"]),
            .link("t2", "tags", ["old", "calm", "loud"]), .link("calm", "tracks", ["t2", "t1", "t3"]),
            .link("t1", "similar", ["t2", "t3", "t4"]),
            .save(by: "editor"),
            .insert("Track", "t6", ["seconds": .integer(1)]), .link("first", "tracks", ["t2", "t6", "t4", "t3"]),
            .delete("t4"), .delete("loud"),
            .save(by: "editor"),
        ])

    private static let tracks = ["t1", "t2", "t3", "t4", "t5"]

    private static let schemaOfOrdered = Schema([
        EntityShape("Album", [], links: [.ordered("tracks", "Track", inverse: "album")]),
        EntityShape(
            "Track", [.init("seconds", .integer32)],
            links: [
                .one("album", "Album", inverse: "tracks"), .ordered("tags", "Tag", inverse: "tracks"),
                .ordered("similar", "Track", inverse: "similarTo"), .many("similarTo", "Track", inverse: "similar"),
            ]),
        EntityShape("Tag", [], links: [.ordered("tracks", "Track", inverse: "tags")]),
    ])
}
