import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of Examples/AddressBookServer.
struct ContactsServer {
    let url: URL

    /// Reads all pages, and returns their contacts as one JSON array.
    ///
    /// - Throws: ``Failure`` if the server cannot be reached, or answers with something else than pages of contacts.
    func contacts() async throws -> Data {
        var contacts: [Any] = []
        var cursor: String?
        repeat {
            let page = try await page(after: cursor)
            contacts += page.contacts
            cursor = page.next
        } while cursor != nil
        return try JSONSerialization.data(withJSONObject: contacts)
    }

    private func page(after cursor: String?) async throws -> (contacts: [Any], next: String?) {
        let query = [URLQueryItem(name: "size", value: "1000"), URLQueryItem(name: "after", value: cursor)]
        var parts = URLComponents(url: url.appendingPathComponent("contacts"), resolvingAgainstBaseURL: false)
        parts?.queryItems = query.filter { $0.value != nil }
        guard let page = parts?.url else { throw Failure("\(url) is no URL of a server.") }
        let (data, response) = try await answer(page)
        guard let status = (response as? HTTPURLResponse)?.statusCode, status == 200,
            let document = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let contacts = document["contacts"] as? [Any]
        else {
            throw Failure("\(url) sends no contacts.", advice: "Give the address of an AddressBookServer.")
        }
        return (contacts, document["next"] as? String)
    }

    private func answer(_ page: URL) async throws -> (Data, URLResponse) {
        do {
            return try await URLSession.shared.data(from: page)
        } catch {
            throw Failure("\(url) cannot be reached.", because: error, advice: "Start AddressBookServer first.")
        }
    }
}
