import Foundation
import PredicateFormat
import Testing

/// The operators that join collections: each element gives one, by the rest of the key path.
@Suite struct CollectionOperatorTests {
    private let teams: [String: Any] = [
        "teams": [
            ["name": "a", "tags": ["x", "y"], "kinds": Set(["k", "l"]), "members": [["age": 1], ["age": 2]]],
            ["name": "b", "tags": ["y", "z"], "kinds": Set(["l", "m"]), "members": [["age": 2]]],
            ["name": "c"],
        ] as [[String: Any]],
        "nested": [[1, 2], [2, 3]],
        "groups": [[["age": 1], ["age": 2]], [["age": 2]]],
    ]

    private func value(_ path: String) throws -> Any? { try CompiledKeyPath(path).value(of: teams) }

    private func texts(_ path: String) throws -> [String]? { try value(path) as? [String] }

    @Test func elementsNeedNotBeCollections() throws {
        #expect(try texts("teams.@unionOfArrays.tags") == ["x", "y", "y", "z"])
        #expect(try texts("teams.@distinctUnionOfArrays.tags") == ["x", "y", "z"])
        let format = "teams.@distinctUnionOfSets.kinds.@count == nil OR teams.@unionOfArrays.tags CONTAINS 'z'"
        #expect(throws: (any Error).self) { try NSPredicate(format: format).evaluateThrowing(with: teams) }
        #expect(try NSPredicate(format: "teams.@unionOfArrays.tags CONTAINS 'z'").evaluateThrowing(with: teams))
    }

    @Test(arguments: ["@unionOfSets", "@distinctUnionOfSets"])
    func setsBecomeOneSet(_ name: String) throws {
        let found = try #require(try value("teams.\(name).kinds") as? any PredicateCollection)
        #expect(found.isPredicateSet)
        #expect(Set(found.predicateElements.compactMap { $0 as? String }) == ["k", "l", "m"])
        #expect(found.predicateCount == 3)
    }

    /// An element that is a collection gives the values of its own elements.
    @Test func elementsMayBeCollections() throws {
        #expect(try value("nested.@unionOfArrays.self") as? [Int] == [1, 2, 2, 3])
        #expect(try value("nested.@distinctUnionOfArrays.self") as? [Int] == [1, 2, 3])
        #expect(try value("groups.@unionOfArrays.age") as? [Int] == [1, 2, 2])
        #expect(try value("teams.@unionOfArrays.members.age") as? [Int] == [1, 2, 2])
    }

    @Test func whatIsNoCollectionIsAnError() throws {
        #expect(throws: PredicateEvaluationError.self) { try value("teams.@unionOfArrays.name") }
    }
}
