import CoreDataRowStorage
import CoreDataSQLQueries
import PredicateFormat
import Testing

/// Which constant goes to which parameter, and in what form.
@Suite("Parameters of conditions")
struct ParameterTests {
    /// What is compiled is found again by its shape, and bound to other constants: both must number them alike.
    @Test func slotsAreThoseOfTheShape() throws {
        let predicate = NSPredicate(
            format: "title == 'a' AND pages IN {1, 2} AND author.name BEGINSWITH 'b' AND price == nil")
        var writer = ShapeWriter()
        let query = Query("Book")
        writer.add(predicate.node)
        let bindings = try query.fragment(predicate).statement(in: query.shop.dialect).bindings
        let bound = bindings.map { binding in
            writer.constants[binding.slot].map { "\($0)" }
        }
        #expect(bound == ["a", "1", "2", "b", "b"])
        guard case .prefixEnd = bindings[4].form else {
            Issue.record("The end of the prefix is no parameter.")
            return
        }
    }

    @Test func formsFollowTheAttribute() throws {
        let query = Query("Book")
        let predicate = NSPredicate(
            format: "cover == %@ AND pages < 3 AND title LIKE 'a*' AND published > now()", argumentArray: [Data([1])])
        let forms = try query.fragment(predicate).statement(in: query.shop.dialect).bindings.map(\.form)
        #expect(forms.count == 4)
        if case .external = forms[0] {
        } else {
            Issue.record("A value that may lie in a file is bound as another.")
        }
        if case .ordered(.int32?) = forms[1] {} else { Issue.record("A bound is not bound by order.") }
        if case .matcher(.like, []) = forms[2] {} else { Issue.record("A pattern is not prepared.") }
        if case .now = forms[3] {} else { Issue.record("The time is not that of the fetch.") }
    }

    @Test func shapesLeaveOutConstants() throws {
        func shape(_ format: String, _ arguments: [Any?] = []) throws -> RequestShape {
            var writer = ShapeWriter()
            writer.add(try NSPredicate.parse(format, arguments: arguments).node)
            return writer.shape
        }
        #expect(try shape("pages == 1") == shape("pages == 2"))
        #expect(try shape("pages IN %@", [[1]]) == shape("pages IN %@", [[1, 2, 3]]))
        #expect(try shape("pages == 1") != shape("pages != 1"))
        #expect(try shape("pages == 1") != shape("pages == nil"))
        #expect(try shape("title ==[c] 'a'") != shape("title == 'a'"))
        // Nothing begins with the empty text.
        #expect(try shape("title BEGINSWITH 'a'") != shape("title BEGINSWITH ''"))
    }
}
