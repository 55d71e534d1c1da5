import ModelFormat
import StoreTools
import Testing

/// Schemas take the names that follow from no rule from the file.
@Suite struct SchemaAdaptationTests {
    private static func model() -> Model {
        var folder = Entity(name: "Folder"), user = Entity(name: "User"), message = Entity(name: "Message")
        func add(
            _ entity: inout Entity, _ name: String, _ destination: String, _ inverse: String, ordered: Bool = false
        ) {
            var relationship = Relationship(
                name: name, destinationName: destination, inverseName: inverse, isToMany: true)
            relationship.isOptional = true
            relationship.isOrdered = ordered
            entity.relationships.append(relationship)
        }
        add(&folder, "favorites", "Folder", "favoriteFolders", ordered: true)
        add(&folder, "favoriteFolders", "Folder", "favorites")
        add(&user, "seen", "Message", "users")
        add(&message, "users", "User", "seen")
        add(&user, "readers", "Folder", "users")
        add(&folder, "users", "User", "readers")
        return Model(entities: [folder, user, message])
    }

    @Test func aNewFileHasTheNamesOfTheRules() throws {
        let schema = try StoreSchema(Self.model())
        #expect(
            schema.joins.map(\.sql) == [
                "CREATE TABLE Z_1FAVORITES ( Z_1FAVORITEFOLDERS INTEGER, Z_1FAVORITES INTEGER, Z_FOK_1FAVORITES INTEGER, "
                    + "PRIMARY KEY (Z_1FAVORITEFOLDERS, Z_1FAVORITES) )",
                "CREATE TABLE Z_1USERS ( Z_1READERS INTEGER, Z_3USERS INTEGER, PRIMARY KEY (Z_1READERS, Z_3USERS) )",
                "CREATE TABLE Z_2USERS ( Z_2SEEN INTEGER, Z_3USERS1 INTEGER, PRIMARY KEY (Z_2SEEN, Z_3USERS1) )",
            ])
    }

    @Test func eitherRelationshipOfAnEntityNamesTheTable() throws {
        let schema = try StoreSchema(
            Self.model(), columns: ["Z_1FAVORITEFOLDERS": ["Z_1FAVORITES", "Z_1FAVORITEFOLDERS", "Z_FOK_1FAVORITES"]])
        let table = try #require(schema.joins.first { $0.name == "Z_1FAVORITEFOLDERS" })
        #expect(
            table.sql == "CREATE TABLE Z_1FAVORITEFOLDERS ( Z_1FAVORITES INTEGER, Z_1FAVORITEFOLDERS INTEGER, "
                + "Z_FOK_1FAVORITES INTEGER, PRIMARY KEY (Z_1FAVORITES, Z_1FAVORITEFOLDERS) )")
        let index = try #require(schema.indexes.first { $0.table == "Z_1FAVORITEFOLDERS" })
        #expect(
            index.sql == "CREATE INDEX Z_1FAVORITEFOLDERS_Z_1FAVORITEFOLDERS_INDEX ON Z_1FAVORITEFOLDERS "
                + "(Z_1FAVORITEFOLDERS, Z_1FAVORITES)")
        let folder = try #require(schema.entity(named: "Folder"))
        let favorites = try #require(folder.toManys.first { $0.name == "favorites" })
        guard
            case .join("Z_1FAVORITEFOLDERS", "Z_1FAVORITEFOLDERS", "Z_1FAVORITES", "Z_FOK_1FAVORITES") = favorites.place
        else {
            Issue.record("\(favorites.place)")
            return
        }
    }

    @Test func numbersBehindEqualNamesCanBeSwapped() throws {
        let schema = try StoreSchema(
            Self.model(),
            columns: ["Z_1USERS": ["Z_3USERS1", "Z_1READERS"], "Z_2USERS": ["Z_2SEEN", "Z_3USERS"]])
        let user = try #require(schema.entity(named: "User"))
        for relationship in user.toManys {
            guard case .join(let table, let source, _, nil) = relationship.place else {
                Issue.record("\(relationship.place)")
                continue
            }
            #expect(table == (relationship.name == "seen" ? "Z_2USERS" : "Z_1USERS"))
            #expect(source == (relationship.name == "seen" ? "Z_3USERS" : "Z_3USERS1"))
        }
    }

    @Test func namesThatTheFileLacksStayAsTheRulesGiveThem() throws {
        let plain = try StoreSchema(Self.model())
        let schema = try StoreSchema(
            Self.model(), columns: ["ZUSER": ["Z_PK"], "Z_1USERS": ["OTHER"], "Z_2USERS": []])
        #expect(schema.joins.map(\.sql) == plain.joins.map(\.sql))
        #expect(schema.tables.map(\.sql) == plain.tables.map(\.sql))
    }

    @Test func numbersOfTheFileArePartsOfNames() throws {
        let schema = try StoreSchema(Self.model(), numbers: ["Folder": 7, "User": 3, "Message": 5, "CHANGE": 16001])
        #expect(schema.entities.map(\.number) == [7, 5, 3])
        #expect(schema.joins.map(\.name) == ["Z_7FAVORITES", "Z_7USERS", "Z_5USERS"])
        #expect(schema.entity(5)?.name == "Message")
    }

    // MARK: Numbers

    private static func family() -> Model {
        let car = Entity(name: "Car"), person = Entity(name: "Person")
        let luxury = Entity(name: "LuxuryCar", parentName: "Car"), sport = Entity(name: "SportCar", parentName: "Car")
        return Model(entities: [person, sport, luxury, car])
    }

    @Test func entitiesAreNumberedDepthFirst() throws {
        let schema = try StoreSchema(Self.family())
        #expect(schema.entities.map(\.name) == ["Car", "LuxuryCar", "SportCar", "Person"])
        #expect(schema.entities.map(\.number) == [1, 2, 3, 4])
        #expect(schema.entities.map(\.parent) == [0, 1, 1, 0])
        #expect(schema.entities.map(\.root) == [1, 1, 1, 4])
        #expect(schema.entities.map(\.family) == [[1, 2, 3], [2], [3], [4]])
        #expect(schema.tables.map(\.family) == [[1, 2, 3], [4]])
    }

    @Test func anEntityThatAMigrationRenamedHasItsNumberInTheOrder() throws {
        let schema = try StoreSchema(
            Self.family(), numbers: ["Car": 1, "ExpensiveSportCar": 2, "SportCar": 3, "Person": 4])
        #expect(schema.entities.map(\.number) == [1, 2, 3, 4])
    }

    @Test func anEntityThatIsMissingAmongOtherNumbersGetsAnUnusedOne() throws {
        let schema = try StoreSchema(Self.family(), numbers: ["Car": 5, "SportCar": 9, "Person": 2, "CHANGE": 16001])
        #expect(schema.entities.map(\.number) == [5, 10, 9, 2])
    }
}
