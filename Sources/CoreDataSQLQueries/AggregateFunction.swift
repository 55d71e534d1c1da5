/// A function of SQL over the rows of a group.
package enum AggregateFunction {
    case rows, count, sum, average, min, max
}
