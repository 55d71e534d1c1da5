import Foundation
import Hummingbird
import MagicalRecord

/// A book as it goes over the wire.
public struct BookValue: ResponseCodable, Hashable, Sendable {
    public var isbn: String
    public var title: String
    public var year: Int32
    public var copies: Int32

    public init(isbn: String, title: String, year: Int32, copies: Int32 = 1) {
        (self.isbn, self.title, self.year, self.copies) = (isbn, title, year, copies)
    }

    init(_ book: Book) {
        self.init(isbn: book.isbn ?? "", title: book.title ?? "", year: book.year, copies: book.copies)
    }
}

/// One page of books, and what to ask for the next.
public struct BookList: ResponseCodable, Sendable {
    public var books: [BookValue]
    public var next: String?
}

/// A loan as it goes over the wire.
public struct LoanValue: ResponseCodable, Hashable, Sendable {
    public var number: UUID
    public var isbn: String
    public var member: String
    public var due: Date

    init(_ loan: Loan) {
        number = loan.number ?? UUID()
        isbn = loan.book?.isbn ?? ""
        member = loan.member ?? ""
        due = loan.due ?? .distantPast
    }
}

/// What is asked for when a book is lent.
struct LoanRequest: Codable, Sendable {
    var isbn: String
    var member: String
}
