import Foundation
import Hummingbird
import MagicalRecord

extension AddressBook {
    /// Returns a router with the routes of the service:
    ///
    /// ```
    /// GET    /contacts?name=…&after=…&size=…
    /// POST   /contacts
    /// GET    /contacts/{id}
    /// PATCH  /contacts/{id}
    /// DELETE /contacts/{id}
    /// POST   /imports
    /// GET    /changes?after=…&limit=…
    /// GET    /health
    /// GET    /metrics
    /// ```
    ///
    /// - Parameter metrics: the measurements that `/metrics` answers with; requests are added to them.
    public func router(metrics: Metrics) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestMetrics(metrics))
        router.add(middleware: Failures())
        addContacts(to: router)
        addChanges(to: router)
        addOperations(to: router, metrics)
        return router
    }

    private func addContacts(to router: Router<BasicRequestContext>) {
        router.get("contacts") { request, _ in
            let parameters = request.uri.queryParameters
            return try await self.contacts(
                named: parameters["name"].map { String($0) }, after: try Self.cursor(parameters["after"]),
                size: try Self.number(parameters["size"], upTo: 1_000) ?? 20)
        }
        router.post("contacts") { request, _ in
            let contact = try await self.create(from: try await Self.body(of: request))
            return EditedResponse(status: .created, response: contact)
        }
        router.get("contacts/:id") { _, context in try await self.contact(try Self.id(context)) }
        router.patch("contacts/:id") { request, context in
            let id = try Self.id(context)
            return try await self.change(id, by: try await Self.body(of: request))
        }
        router.delete("contacts/:id") { _, context in
            try await self.delete(try Self.id(context))
            return HTTPResponse.Status.noContent
        }
        router.post("imports") { request, _ in
            try await self.importAll(from: try await Self.body(of: request, upTo: 16 << 20))
        }
    }

    private func addChanges(to router: Router<BasicRequestContext>) {
        router.get("changes") { request, _ in
            let parameters = request.uri.queryParameters
            return try await self.changes(
                after: try Self.token(parameters["after"]),
                limit: try Self.number(parameters["limit"], upTo: 1_000) ?? 100)
        }
    }

    private func addOperations(to router: Router<BasicRequestContext>, _ metrics: Metrics) {
        router.get("health") { _, _ in
            do {
                try await self.check()
                return Response(status: .ok)
            } catch {
                throw Problem(.serviceUnavailable, error)
            }
        }
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.text)))
        }
    }

    // MARK: Parts of requests

    private static func id(_ context: BasicRequestContext) throws -> Int32 {
        let text = try context.parameters.require("id")
        guard let id = Int32(text) else { throw Problem(.badRequest, "\"\(text)\" is no ID of a contact.") }
        return id
    }

    private static func body(of request: Request, upTo limit: Int = 64 << 10) async throws -> Data {
        Data(buffer: try await request.body.collect(upTo: limit))
    }

    private static func number(_ text: Substring?, upTo most: Int) throws -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), (1...most).contains(number) else {
            throw Problem(.badRequest, "\"\(text)\" is no number from 1 to \(most).")
        }
        return number
    }

    private static func cursor(_ text: Substring?) throws -> MagicalRecord.Cursor? {
        guard let text else { return nil }
        guard let cursor = MagicalRecord.Cursor(String(text)) else {
            throw Problem(.badRequest, "\"\(text)\" is no cursor.", advice: "Take the \"next\" of the page before.")
        }
        return cursor
    }

    private static func token(_ text: Substring?) throws -> HistoryToken? {
        guard let text else { return nil }
        guard let token = HistoryToken(String(text)) else {
            throw Problem(.badRequest, "\"\(text)\" is no token.", advice: "Take the \"token\" of the answer before.")
        }
        return token
    }
}
