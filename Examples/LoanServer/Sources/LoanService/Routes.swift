import Foundation
import Hummingbird
import MagicalRecord

extension Library {
    /// Returns a router with the routes of the service; see ``addRoutes(to:)``.
    public func router() -> Router<BasicRequestContext> {
        let router = Router()
        addRoutes(to: router)
        return router
    }

    /// Adds the routes of the service:
    ///
    /// ```
    /// GET    /books?title=…&after=…&size=…
    /// GET    /books/{isbn}
    /// PUT    /books/{isbn}
    /// GET    /years
    /// GET    /members/{name}/loans
    /// POST   /loans
    /// DELETE /loans/{number}
    /// ```
    public func addRoutes(to router: Router<BasicRequestContext>) {
        router.add(middleware: Failures())
        router.get("books") { request, _ in
            let parameters = request.uri.queryParameters
            let size = try Self.number(parameters["size"], from: 1, to: 100) ?? 20
            return try await self.books(
                titled: parameters["title"].map { String($0) }, after: try Self.cursor(parameters["after"]), size: size)
        }
        // snippet
        router.get("books/:isbn") { _, context in try await self.book(isbn: try context.parameters.require("isbn")) }
        // end
        router.put("books/:isbn") { request, context in
            let book = try await request.decode(as: BookValue.self, context: context)
            guard book.isbn == context.parameters.get("isbn") else {
                throw HTTPError(.badRequest, message: "The book has another ISBN than the path.")
            }
            try await self.put(book)
            return book
        }
        router.get("years") { _, _ in try await self.years() }
        router.get("members/:name/loans") { _, context in
            try await self.loans(of: try context.parameters.require("name"))
        }
        router.post("loans") { request, context in
            let wish = try await request.decode(as: LoanRequest.self, context: context)
            return EditedResponse(status: .created, response: try await self.lend(isbn: wish.isbn, to: wish.member))
        }
        router.delete("loans/:number") { _, context in
            try await self.giveBack(try context.parameters.require("number", as: UUID.self))
            return HTTPResponse.Status.noContent
        }
    }

    private static func number(_ text: Substring?, from least: Int, to most: Int) throws -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), (least...most).contains(number) else {
            throw HTTPError(.badRequest, message: "Not a number from \(least) to \(most): \(text)")
        }
        return number
    }

    private static func cursor(_ text: Substring?) throws -> MagicalRecord.Cursor? {
        guard let text else { return nil }
        guard let cursor = MagicalRecord.Cursor(String(text)) else {
            throw HTTPError(.badRequest, message: "Not a cursor: \(text)")
        }
        return cursor
    }
}

/// Middleware that maps errors of the library and of Core Data to HTTP status codes.
private struct Failures: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch Library.Failure.noBook {
            throw HTTPError(.notFound, message: "There is no such book.")
        } catch Library.Failure.noLoan {
            throw HTTPError(.notFound, message: "There is no such loan.")
        } catch Library.Failure.allLent {
            throw HTTPError(.conflict, message: "All copies are lent.")
        } catch let error as CocoaError where error.isValidationError {
            throw HTTPError(.unprocessableContent, message: error.localizedDescription)
        } catch let error as MagicalRecordError where error.code == .invalidArgument {
            throw HTTPError(.badRequest, message: error.message)
        }
    }
}
