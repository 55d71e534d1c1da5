import CoreDataRowStorage
import Foundation
import PredicateFormat
import Testing

/// Layouts made of plain specifications, without a model: what lies where in rows, and what the rest is asked for.
@Suite("Layouts of plain specifications")
struct EntitySpecTests {
    /// An entity that only knows the values its objects begin with.
    private final class Defaults: EntityTraits {
        private let values: [String: Int64]

        init(_ values: [String: Int64] = [:]) { self.values = values }

        func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault {
            values[cell.name].map(AttributeDefault.integer) ?? .none
        }
        func valueClassName(of cell: EntityLayout.Cell) -> String? { nil }
        func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? { nil }
        var declaredIndexes: [IndexTraits] { [] }
        var compoundIndexPaths: [[String]] { [] }
        var constraintPaths: [[String]] { [] }
        var historyOrder: [String] { [] }
    }

    private final class Source {}
    private let source = Source()
    private let plain = Defaults(), counted = Defaults(["count": 7])

    private func attribute(_ name: String, _ kind: CellKind) -> PropertySpec {
        PropertySpec(
            name, source,
            .attribute(ElementSpec(kind: kind, traits: [.attribute, .optional], source: source)))
    }

    private func toOne(_ name: String, _ destination: Int) -> PropertySpec {
        PropertySpec(
            name, source,
            .relationship(
                RelationshipSpec(
                    isToMany: false, isOrdered: false, traits: .optional, deleteRule: .nullify,
                    destinationNumber: destination, inverse: nil)))
    }

    private func entity(_ name: String, under parent: Int?, _ properties: [PropertySpec]) -> EntitySpec {
        var spec = EntitySpec(name: name, isAbstract: false, parent: parent, traits: name == "Car" ? counted : plain)
        spec.properties = properties
        return spec
    }

    /// Thing with Car and Boat below it, and Owner.
    private func layouts(boat: [PropertySpec]) -> ModelLayouts {
        ModelLayouts([
            entity("Thing", under: nil, [attribute("name", .string), toOne("owner", 4)]),
            entity("Car", under: 0, [attribute("count", .int64)]),
            entity("Boat", under: 0, boat),
            entity("Owner", under: nil, [attribute("name", .string)]),
        ])
    }

    @Test func propertiesFollowThoseOfTheEntityAbove() throws {
        let layouts = layouts(boat: [attribute("length", .double)])
        let lines = layouts.all.map { layout in
            "\(layout.number) \(layout.name) \(Array(layout.familyNumbers)): "
                + layout.cells.map { "\($0.name) \($0.kind)" }.joined(separator: ", ")
        }
        #expect(
            lines == [
                "1 Thing [1, 2, 3]: name string, owner reference",
                "2 Car [2]: name string, owner reference, count int64",
                "3 Boat [3]: name string, owner reference, length double",
                "4 Owner [4]: name string",
            ])
        #expect(layouts.all[1].isKind(of: layouts.all[0]) && !layouts.all[1].isKind(of: layouts.all[2]))
    }

    /// Accessors of a shared class keep one index for a hierarchy, unless two branches have a property of one name.
    @Test func aHierarchySharesItsTagWhereItAgreesOnIndices() {
        let agreed = layouts(boat: [attribute("length", .double)]).all.map(\.tag)
        #expect(agreed[0] == agreed[1] && agreed[1] == agreed[2] && agreed[2] != agreed[3])
        let apart = layouts(boat: [attribute("count", .int64)]).all.map(\.tag)
        #expect(Set(apart).count == 4)
    }

    @Test func newRowsBeginWithWhatTheEntitySays() throws {
        let car = layouts(boat: []).all[1]
        let slab = RowSlab(rowBytes: car.rowBytes)
        let row = try #require(slab.makeRow(bytes: car.rowBytes))
        car.defaults.apply(to: row, in: slab, car)
        #expect(EntityLayout.isPresent(row, 2) && car.bits(row, 2) == 7)
        #expect(!EntityLayout.isPresent(row, 0))
    }
}
