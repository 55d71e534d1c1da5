import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Hashes that Apple's framework stored for models of public projects, met by the same models built in code.
@Suite("Version hashes")
struct VersionHashTests {
    /// Entity, its properties, and the hash found in a store or model bundle of the project named.
    struct Vector: CustomTestStringConvertible {
        var entities: [(header: String, properties: String)]
        var expected: [String: String]

        var testDescription: String { expected.keys.sorted().joined(separator: ", ") }
    }

    static let vectors = [
        // bignerdranch/CoreDataStack, TestModel.sqlite
        Vector(
            entities: [
                ("Author", "books -> Book.authors 0..0?; firstName: string?; lastName: string?"),
                ("Book", "authors -> Author.books 0..0?; title: string?"),
            ],
            expected: [
                "Author": "cbc1f5c274ebf414474c4e350f73b14b1dd356c22782ae7488810d597188c46d",
                "Book": "292c923e48c2cbeea5a113bb7685fbc63ab800c0bbc242ad17a0f2e2a1e08f5c",
            ]),
        // duckduckgo/BrowserServicesKit, Bookmarks_V5.sqlite: ordered relationships to itself, modifiers
        Vector(
            entities: [
                (
                    "BookmarkEntity",
                    """
                    children -> BookmarkEntity.parent 0..0? ordered; \
                    favoriteFolders -> BookmarkEntity.favorites 0..0?; \
                    favorites -> BookmarkEntity.favoriteFolders 0..0? ordered; isFolder: bool; \
                    isPendingDeletion: bool? modifier="3"; lastChildrenPayloadReceivedFromSync: string?; \
                    modifiedAt: date?; parent -> BookmarkEntity.children 0..1?; title: string?; \
                    url: string? modifier="3"; uuid: string modifier="3"
                    """
                )
            ],
            expected: ["BookmarkEntity": "84f07c047d39108d666df9d08af728b3197383bda698febf3b90997db4fd5929"]),
        // alemar11/CoreDataPlus, SampleModel_V1.sqlite: inheritance, constraints, history, transient attributes
        Vector(
            entities: [
                (
                    "Car unique=(numberPlate)",
                    """
                    color: transformable?; currentDrivingSpeed: i64? transient; maker: string?; \
                    markedForDeletionAsOf: date?; model: string?; numberPlate: string; owner -> Person.cars 0..1?
                    """
                ),
                ("SportCar : Car", ""), ("ExpensiveSportCar : SportCar", "isLimitedEdition: bool?"),
                (
                    "Person unique=(firstName,lastName)",
                    """
                    cars -> Car.owner 0..0?; firstName: string?; id: uuid preserve; isDriving: bool transient; \
                    lastName: string?; updatedAt: date
                    """
                ),
            ],
            expected: [
                "Car": "9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f",
                "SportCar": "514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313",
                "ExpensiveSportCar": "3dc7e32b1be45b5a4c795ac9af3e1d10aa7222d3c69ae805bbeb4408bdeba480",
                "Person": "164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b",
            ]),
        // The same project's model made in code: counts, an abstract parent
        Vector(
            entities: [
                ("Writer abstract", "age: i16"),
                ("Author : Writer unique=(alias)", "alias: string; books -> Book.author 0..-1?; siteURL: uri?"),
                ("Page", "book -> Book.pages 1..1; content: transformable; isBookmarked: bool; number: i32"),
                ("Feedback", "authorAlias: string; bookID: uuid; comment: string?; rating: double"),
            ],
            expected: [
                "Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25",
                "Author": "07b88ab76fbdf3d701c85688e9b0820f0cdae6bc2c31d24d1fdc115251d13d12",
                "Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171",
                "Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc",
            ]),
        // JohnEstropia/CoreStore, hashes its demos lock their models with
        Vector(
            entities: [
                ("Palette", "hue: float; saturation: float; brightness: float"),
                ("Form", "id: i64; name: string?; spriteURL: string?; details -> Details.forms 0..1?"),
                (
                    "Details",
                    """
                    pokedexEntry -> PokedexEntry.details 0..1?; species -> Species.details 0..1?; \
                    forms -> Form.details 0..0? ordered
                    """
                ),
            ],
            expected: [
                "Palette": "6a175393eeeaf4ba380c2bcc18a96cdd34ccd78288ad4fd03f5091c038ca903e",
                "Form": "3c9eb7bb588eb77c2784be607c554901332d1d1d51ad306bdc88b9579631f1b9",
                "Details": "60a9ea08950ece1cc6d54bb567908174101f81487f830cc395ea7dd2d2ea2b62",
            ]),
    ]

    @Test("Hashes of models made in code are Apple's", arguments: vectors)
    func vector(_ vector: Vector) {
        let model = makeModel(vector.entities)
        for (name, expected) in vector.expected {
            #expect(hex(model.entityVersionHashesByName[name]) == expected, "\(name)")
            #expect(hex(model.entitiesByName[name]?.versionHash) == expected, "\(name)")
        }
    }

    @Test("The checksum of a model is Apple's")
    func checksum() {
        // alemar11/CoreDataPlus, VersionInfo.plist of SampleModel3.momd
        let model = makeModel([("User", "name: string; petName: string?")])
        #expect(model.versionChecksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
    }

    @Test("The hash of a property covers name, flags, type and modifier")
    func property() {
        // From the worked example of the hash description: `Writer.age` and `Author.books` of CoreDataPlus.
        let model = makeModel([("Writer", "age: i16"), ("Author", "books -> Book.author 0..9223372036854775807?")])
        let age = model.entitiesByName["Writer"]?.attributesByName["age"]
        #expect(hex(age?.versionHash) == "2c6deb6502d41e27f00732738c8b386681ee1f18ea5dbee766aa0fb33331a0cc")
        let books = model.entitiesByName["Author"]?.relationshipsByName["books"]
        #expect(hex(books?.versionHash) == "2df7577026ae883c84d1aa2c2fab68ac54b3a699a71420a914666ef67a6e77c3")
    }

    /// A change to an entity `Author` with an attribute `name` and a relationship `books`.
    enum Change: CaseIterable {
        case className, userInfo, renaming, defaultValue, transformer, indexed, deleteRule, index
        case name, abstract, modifier, constraint, optional, transient, type, ordered, maxCount, inverse

        static let notCounted: [Change] = [
            .className, .userInfo, .renaming, .defaultValue, .transformer, .indexed, .deleteRule, .index,
        ]

        func apply(to entity: NSEntityDescription) throws {
            let attribute = try #require(entity.attributesByName["name"])
            let relationship = try #require(entity.relationshipsByName["books"])
            switch self {
            case .className: entity.managedObjectClassName = "Other"
            case .userInfo: entity.userInfo = ["a": 1]
            case .renaming: entity.renamingIdentifier = "Old"
            case .defaultValue: attribute.defaultValue = "x"
            case .transformer: attribute.valueTransformerName = "T"
            case .indexed: attribute.isIndexed = true
            case .deleteRule: relationship.deleteRule = .cascadeDeleteRule
            case .index:
                let element = NSFetchIndexElementDescription(property: attribute, collationType: .binary)
                entity.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
            case .name: entity.name = "Other"
            case .abstract: entity.isAbstract = true
            case .modifier: entity.versionHashModifier = "2"
            case .constraint: entity.uniquenessConstraints = [["name"]]
            case .optional: attribute.isOptional = true
            case .transient: attribute.isTransient = true
            case .type: attribute.attributeType = .dateAttributeType
            case .ordered: relationship.isOrdered = true
            case .maxCount: relationship.maxCount = 5
            case .inverse: relationship.inverseRelationship = nil
            }
        }
    }

    @Test("What counts changes the hash, what does not leaves it alone", arguments: Change.allCases)
    func changes(_ change: Change) throws {
        let model = makeModel([("Author", "name: string; books -> Book.author 0..0?")])
        let entity = try #require(model.entitiesByName["Author"])
        let before = entity.versionHash
        try change.apply(to: entity)
        #expect((entity.versionHash == before) == Change.notCounted.contains(change))
    }

    @Test("A model fits a store whose hashes are all its own, and no other")
    func compatibility() {
        let model = makeModel([("A", "x: i16"), ("B", "y: i16")])
        let hashes = model.entityVersionHashesByName
        func fits(_ hashes: [String: Data], _ configuration: String? = nil) -> Bool {
            model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
        }
        #expect(fits(hashes))
        #expect(!fits(hashes.filter { $0.key == "A" }))
        #expect(!fits(hashes.merging(["C": Data()]) { $1 }))
        #expect(!fits(hashes.merging(["A": Data(count: 32)]) { $1 }))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        model.setEntities([model.entities[0]], forConfigurationName: "OnlyA")
        #expect(fits(hashes.filter { $0.key == "A" }, "OnlyA"))
        // Apple's stores of a configuration have the hashes of all entities.
        #expect(fits(hashes, "OnlyA"))
        #expect(fits(hashes.merging(["B": Data(count: 32)]) { $1 }, "OnlyA"))
        #expect(!fits(hashes.merging(["A": Data(count: 32)]) { $1 }, "OnlyA"))
        #expect(!fits(hashes, "Unknown"))
    }
}
